import type { MapRecords } from '../map-records.ts'
import { type Age, isOlder, type RestorableUploads } from '../record-store.ts'
import type { UploadRecord } from '../records.ts'

/** Uploads in memory: a page costs the same at any depth, and totals are kept up to date. */
export function createMemoryUploads({
  uploadTotals: totals,
  nextUploadId,
}: Pick<MapRecords, 'uploadTotals' | 'nextUploadId'>): RestorableUploads {
  const bySlug = new Map<string, UploadRecord>()
  /** Each account's uploads, oldest first. */
  const byAccount = new Map<number, UploadRecord[]>()

  const uploadsOf = (accountId: number): UploadRecord[] => {
    const uploads = byAccount.get(accountId) ?? []
    byAccount.set(accountId, uploads)
    return uploads
  }

  /** Adds records in any order and sorts each account once at the end. */
  const putAll = (records: Iterable<UploadRecord>) => {
    const changed = new Set<UploadRecord[]>()
    for (const record of records) {
      const uploads = uploadsOf(record.accountId)
      bySlug.set(record.slug, record)
      uploads.push(record)
      totals.add(record, 1)
      changed.add(uploads)
    }
    for (const uploads of changed) uploads.sort(byAge)
  }

  return {
    insert(upload) {
      if (bySlug.has(upload.slug)) return undefined
      const record = withId(upload, nextUploadId())
      const uploads = uploadsOf(record.accountId)
      bySlug.set(record.slug, record)
      uploads.splice(indexOf(uploads, record), 0, record)
      totals.add(record, 1)
      return record
    },
    insertAll(uploads) {
      putAll(withIds(uploads, nextUploadId))
    },
    findBySlug: (slug) => bySlug.get(slug),
    awaitingThumbnail: () => [...bySlug.values()].filter(({ thumbnail }) => thumbnail.state === 'pending'),
    newest(accountId, { offset, limit }) {
      const uploads = byAccount.get(accountId) ?? []
      const end = Math.max(uploads.length - offset, 0)
      return uploads.slice(Math.max(end - limit, 0), end).reverse()
    },
    latest: ({ until, limit }) => latestOf(byAccount.values(), { until, limit }),
    totals: totals.of,
    update(slug, changes) {
      const old = bySlug.get(slug)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      const uploads = uploadsOf(old.accountId)
      bySlug.set(slug, record)
      uploads[indexOf(uploads, old)] = record
      totals.add(old, -1)
      totals.add(record, 1)
      return record
    },
    remove(slug) {
      const record = bySlug.get(slug)
      if (record === undefined) return undefined
      const uploads = uploadsOf(record.accountId)
      bySlug.delete(slug)
      uploads.splice(indexOf(uploads, record), 1)
      totals.add(record, -1)
      return record
    },
    removeAll(accountId) {
      const uploads = byAccount.get(accountId) ?? []
      byAccount.delete(accountId)
      for (const upload of uploads) bySlug.delete(upload.slug)
      totals.forget(accountId)
      return uploads
    },
    all: () => [...bySlug.values()].sort((one, other) => one.id - other.id),
    load(uploads) {
      bySlug.clear()
      byAccount.clear()
      totals.clear()
      putAll(uploads)
    },
  }
}

/** The id comes first: adding a property after a spread turns the object into a dictionary of three times the size. */
function withId(upload: Omit<UploadRecord, 'id'>, id: number): UploadRecord {
  return { id, ...upload }
}

function* withIds(uploads: Iterable<Omit<UploadRecord, 'id'>>, nextId: () => number): Generator<UploadRecord> {
  for (const upload of uploads) yield withId(upload, nextId())
}

function byAge(one: UploadRecord, other: UploadRecord): number {
  return isOlder(one, other) ? -1 : 1
}

/** The index of a record, or where to insert it, in a list from oldest to newest: how many are older. */
function indexOf(uploads: readonly UploadRecord[], record: Age): number {
  // Nearly every upload is its account's newest.
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

/** Merges the ends of the accounts' lists: what lies deeper is not looked at. */
function latestOf(
  lists: Iterable<readonly UploadRecord[]>,
  { until, limit }: { readonly until: number; readonly limit: number },
): readonly UploadRecord[] {
  const after = { createdAt: until, id: Number.POSITIVE_INFINITY }
  const ends = Array.from(lists, (uploads) => ({ uploads, left: indexOf(uploads, after) }))
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
