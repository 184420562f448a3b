import { directViews, type UploadRecord, type UploadRecords, type UploadTotals } from '../record-store.ts'

/** One account's uploads, oldest first, with what they add up to. */
interface Shelf {
  readonly uploads: UploadRecord[]
  totals: UploadTotals
}

const nothing: UploadTotals = { uploads: 0, views: 0, bytes: 0 }

export interface MemoryUploads extends UploadRecords {
  /** In the order of their ids. */
  all(): readonly UploadRecord[]
  lastId(): number
  load(uploads: readonly UploadRecord[], lastId: number): void
}

/** Uploads in memory: a page costs the same at any depth and an account's totals are read, not summed. */
export function createMemoryUploads(): MemoryUploads {
  const bySlug = new Map<string, UploadRecord>()
  const shelves = new Map<number, Shelf>()
  let lastId = 0

  const shelfOf = (accountId: number): Shelf => {
    const shelf = shelves.get(accountId) ?? { uploads: [], totals: nothing }
    shelves.set(accountId, shelf)
    return shelf
  }

  /** Puts records on their shelves in any order, and the shelves in order once at the end. */
  const putAll = (records: Iterable<UploadRecord>) => {
    const touched = new Set<Shelf>()
    for (const record of records) {
      const shelf = shelfOf(record.accountId)
      bySlug.set(record.slug, record)
      shelf.uploads.push(record)
      shelf.totals = add(shelf.totals, record, 1)
      touched.add(shelf)
    }
    for (const shelf of touched) shelf.uploads.sort(byAge)
  }

  return {
    insert(upload) {
      if (bySlug.has(upload.slug)) return undefined
      const record = withId(upload, ++lastId)
      const shelf = shelfOf(record.accountId)
      bySlug.set(record.slug, record)
      shelf.uploads.splice(placeOf(shelf.uploads, record), 0, record)
      shelf.totals = add(shelf.totals, record, 1)
      return record
    },
    insertAll(uploads) {
      putAll(withIds(uploads, () => ++lastId))
    },
    findBySlug: (slug) => bySlug.get(slug),
    awaitingThumbnail: () => [...bySlug.values()].filter(({ thumbnail }) => thumbnail.state === 'pending'),
    newest(accountId, { offset, limit }) {
      const uploads = shelves.get(accountId)?.uploads ?? []
      const end = Math.max(uploads.length - offset, 0)
      return uploads.slice(Math.max(end - limit, 0), end).reverse()
    },
    totals: (accountId) => shelves.get(accountId)?.totals ?? nothing,
    update(slug, changes) {
      const old = bySlug.get(slug)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      const shelf = shelfOf(old.accountId)
      bySlug.set(slug, record)
      shelf.uploads[placeOf(shelf.uploads, old)] = record
      shelf.totals = add(add(shelf.totals, old, -1), record, 1)
      return record
    },
    remove(slug) {
      const record = bySlug.get(slug)
      if (record === undefined) return undefined
      const shelf = shelfOf(record.accountId)
      bySlug.delete(slug)
      shelf.uploads.splice(placeOf(shelf.uploads, record), 1)
      shelf.totals = add(shelf.totals, record, -1)
      return record
    },
    removeAll(accountId) {
      const uploads = shelves.get(accountId)?.uploads ?? []
      shelves.delete(accountId)
      for (const upload of uploads) bySlug.delete(upload.slug)
      return uploads
    },
    all: () => [...bySlug.values()].sort((one, other) => one.id - other.id),
    lastId: () => lastId,
    load(uploads, highestId) {
      bySlug.clear()
      shelves.clear()
      putAll(uploads)
      lastId = highestId
    },
  }
}

/** The id comes first: a property added after a spread makes the object a table of names, three times the size. */
function withId(upload: Omit<UploadRecord, 'id'>, id: number): UploadRecord {
  return { id, ...upload }
}

function* withIds(uploads: Iterable<Omit<UploadRecord, 'id'>>, nextId: () => number): Generator<UploadRecord> {
  for (const upload of uploads) yield withId(upload, nextId())
}

function byAge(one: UploadRecord, other: UploadRecord): number {
  return isOlder(one, other) ? -1 : 1
}

/** Where a record stands, or belongs, in a list from the oldest to the newest. */
function placeOf(uploads: readonly UploadRecord[], record: UploadRecord): number {
  // Nearly every upload is the newest of its account.
  const last = uploads.at(-1)
  if (last === undefined || isOlder(last, record)) return uploads.length
  let low = 0
  let high = uploads.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const candidate = uploads[middle]
    if (candidate !== undefined && isOlder(candidate, record)) low = middle + 1
    else high = middle
  }
  return low
}

function isOlder(one: UploadRecord, other: UploadRecord): boolean {
  return one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt
}

function add(totals: UploadTotals, record: UploadRecord, times: 1 | -1): UploadTotals {
  return {
    uploads: totals.uploads + times,
    views: totals.views + times * directViews(record),
    bytes: totals.bytes + times * record.sizeBytes,
  }
}
