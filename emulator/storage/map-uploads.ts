import type { UploadChanges, UploadRecord, UploadTotals } from './records.ts'

/** An account's uploads, oldest first, and the sums of all of them. */
interface Shelf {
  readonly uploads: UploadRecord[]
  views: number
  bytes: number
}

/**
 * Uploads, found by slug, account and age: a page costs the same at any depth, and sums are kept up to date.
 * @param byId a plain map or one of the database
 */
export function createMapUploads(byId: Map<number, UploadRecord>, nextId: () => number) {
  const bySlug = new Map<string, UploadRecord>()
  const shelves = new Map<number, Shelf>()

  const shelfOf = (accountId: number): Shelf => {
    const shelf = shelves.get(accountId) ?? { uploads: [], views: 0, bytes: 0 }
    shelves.set(accountId, shelf)
    return shelf
  }
  const count = (shelf: Shelf, upload: UploadRecord, times: 1 | -1) => {
    shelf.views += times * directViews(upload)
    shelf.bytes += times * upload.sizeBytes
  }
  /** Enters uploads in any order, and sorts each account once at the end. */
  const enterAll = (uploads: Iterable<UploadRecord>) => {
    const changed = new Set<Shelf>()
    for (const upload of uploads) {
      bySlug.set(upload.slug, upload)
      const shelf = shelfOf(upload.accountId)
      shelf.uploads.push(upload)
      count(shelf, upload, 1)
      changed.add(shelf)
    }
    for (const shelf of changed) shelf.uploads.sort(byAge)
  }
  function* setAll(uploads: Iterable<Omit<UploadRecord, 'id'>>): Generator<UploadRecord> {
    for (const upload of uploads) {
      const record = withId(upload, nextId())
      byId.set(record.id, record)
      yield record
    }
  }
  /** Derives again what is kept besides the map. */
  const index = () => {
    bySlug.clear()
    shelves.clear()
    enterAll(byId.values())
  }
  index()

  return {
    /** @returns undefined if the slug is taken */
    insert(upload: Omit<UploadRecord, 'id'>): UploadRecord | undefined {
      if (bySlug.has(upload.slug)) return undefined
      const record = withId(upload, nextId())
      byId.set(record.id, record)
      bySlug.set(record.slug, record)
      const shelf = shelfOf(record.accountId)
      shelf.uploads.splice(indexOf(shelf.uploads, record), 0, record)
      count(shelf, record, 1)
      return record
    },
    /** Inserts many uploads with free slugs; each can be found by slug before the next is read from `uploads`. */
    insertAll: (uploads: Iterable<Omit<UploadRecord, 'id'>>): void => enterAll(setAll(uploads)),
    findBySlug: (slug: string): UploadRecord | undefined => bySlug.get(slug),
    /** Uploads with a pending thumbnail, in any order. */
    awaitingThumbnail(): readonly UploadRecord[] {
      const waiting: UploadRecord[] = []
      for (const upload of byId.values()) if (upload.thumbnail.state === 'pending') waiting.push(upload)
      return waiting
    },
    /** Oldest first; not a copy. */
    ofAccount: (accountId: number): readonly UploadRecord[] => (shelves.get(accountId) ?? none).uploads,
    /** Newest first. */
    newest(accountId: number, { offset, limit }: { readonly offset: number; readonly limit: number }) {
      const { uploads } = shelves.get(accountId) ?? none
      const end = Math.max(uploads.length - offset, 0)
      return uploads.slice(Math.max(end - limit, 0), end).reverse()
    },
    /** Uploads of all accounts up to an instant in epoch milliseconds, newest first. */
    latest: (range: { readonly until: number; readonly limit: number }): readonly UploadRecord[] =>
      latestOf(shelves.values(), range),
    totals(accountId: number): UploadTotals {
      const { uploads, views, bytes } = shelves.get(accountId) ?? none
      return { uploads: uploads.length, views, bytes }
    },
    update(slug: string, changes: UploadChanges): UploadRecord | undefined {
      const old = bySlug.get(slug)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      byId.set(record.id, record)
      bySlug.set(slug, record)
      const shelf = shelfOf(old.accountId)
      shelf.uploads[indexOf(shelf.uploads, old)] = record
      count(shelf, old, -1)
      count(shelf, record, 1)
      return record
    },
    remove(slug: string): UploadRecord | undefined {
      const record = bySlug.get(slug)
      if (record === undefined) return undefined
      byId.delete(record.id)
      bySlug.delete(slug)
      const shelf = shelfOf(record.accountId)
      shelf.uploads.splice(indexOf(shelf.uploads, record), 1)
      count(shelf, record, -1)
      return record
    },
    /** Removes an account's uploads and returns them. */
    removeAll(accountId: number): readonly UploadRecord[] {
      const { uploads } = shelves.get(accountId) ?? none
      for (const { id, slug } of uploads) {
        byId.delete(id)
        bySlug.delete(slug)
      }
      shelves.delete(accountId)
      return uploads
    },
    /** Of files and thumbnails. */
    blobIds(): ReadonlySet<string> {
      const ids = new Set<string>()
      for (const upload of byId.values()) for (const id of blobIdsOf(upload)) ids.add(id)
      return ids
    },
    index,
  }
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: UploadRecord): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}

const none: Shelf = { uploads: [], views: 0, bytes: 0 }

/** How many of an upload's views were of the file itself. */
function directViews({ views, indirectViews = 0 }: UploadRecord): number {
  return Math.max(views - indirectViews, 0)
}

/** The id comes first: adding a property after a spread turns the object into a dictionary of three times the size. */
function withId(upload: Omit<UploadRecord, 'id'>, id: number): UploadRecord {
  return { id, ...upload }
}

type Age = Pick<UploadRecord, 'createdAt' | 'id'>

function isOlder(one: Age, other: Age): boolean {
  return one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt
}

function byAge(one: Age, other: Age): number {
  return isOlder(one, other) ? -1 : 1
}

/** The index of an upload, or where to insert it, in a list from oldest to newest: how many are older. */
function indexOf(uploads: readonly UploadRecord[], wanted: Age): number {
  // Nearly every upload is its account's newest.
  const last = uploads.at(-1)
  if (last === undefined || isOlder(last, wanted)) return uploads.length
  let low = 0
  let high = uploads.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const candidate = uploads[middle]
    if (candidate !== undefined && isOlder(candidate, wanted)) low = middle + 1
    else high = middle
  }
  return low
}

/** Merges the ends of the accounts' lists: what lies deeper is not looked at. */
function latestOf(
  shelves: Iterable<Shelf>,
  { until, limit }: { readonly until: number; readonly limit: number },
): readonly UploadRecord[] {
  const after = { createdAt: until, id: Number.POSITIVE_INFINITY }
  const ends = Array.from(shelves, ({ uploads }) => ({ uploads, left: indexOf(uploads, after) }))
  const latest: UploadRecord[] = []
  while (latest.length < limit) {
    let best: { readonly end: (typeof ends)[number]; readonly upload: UploadRecord } | undefined
    for (const end of ends) {
      const upload = end.uploads[end.left - 1]
      if (upload !== undefined && (best === undefined || isOlder(best.upload, upload))) best = { end, upload }
    }
    if (best === undefined) return latest
    latest.push(best.upload)
    best.end.left -= 1
  }
  return latest
}
