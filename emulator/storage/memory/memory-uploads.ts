import { directViews, type UploadRecord, type UploadRecords, type UploadTotals } from '../record-store.ts'

/** An account's uploads, oldest first, and their totals. */
interface AccountUploads {
  readonly uploads: UploadRecord[]
  totals: UploadTotals
}

const nothing: UploadTotals = { uploads: 0, views: 0, bytes: 0 }

export interface MemoryUploads extends UploadRecords {
  /** In order of id. */
  all(): readonly UploadRecord[]
  lastId(): number
  load(uploads: readonly UploadRecord[], lastId: number): void
}

/** Uploads in memory: a page costs the same at any depth, and totals are kept up to date. */
export function createMemoryUploads(): MemoryUploads {
  const bySlug = new Map<string, UploadRecord>()
  const byAccount = new Map<number, AccountUploads>()
  let lastId = 0

  const uploadsOf = (accountId: number): AccountUploads => {
    const account = byAccount.get(accountId) ?? { uploads: [], totals: nothing }
    byAccount.set(accountId, account)
    return account
  }

  /** Adds records in any order and sorts each account once at the end. */
  const putAll = (records: Iterable<UploadRecord>) => {
    const changed = new Set<AccountUploads>()
    for (const record of records) {
      const account = uploadsOf(record.accountId)
      bySlug.set(record.slug, record)
      account.uploads.push(record)
      account.totals = add(account.totals, record, 1)
      changed.add(account)
    }
    for (const account of changed) account.uploads.sort(byAge)
  }

  return {
    insert(upload) {
      if (bySlug.has(upload.slug)) return undefined
      const record = withId(upload, ++lastId)
      const account = uploadsOf(record.accountId)
      bySlug.set(record.slug, record)
      account.uploads.splice(indexOf(account.uploads, record), 0, record)
      account.totals = add(account.totals, record, 1)
      return record
    },
    insertAll(uploads) {
      putAll(withIds(uploads, () => ++lastId))
    },
    findBySlug: (slug) => bySlug.get(slug),
    awaitingThumbnail: () => [...bySlug.values()].filter(({ thumbnail }) => thumbnail.state === 'pending'),
    newest(accountId, { offset, limit }) {
      const uploads = byAccount.get(accountId)?.uploads ?? []
      const end = Math.max(uploads.length - offset, 0)
      return uploads.slice(Math.max(end - limit, 0), end).reverse()
    },
    totals: (accountId) => byAccount.get(accountId)?.totals ?? nothing,
    update(slug, changes) {
      const old = bySlug.get(slug)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      const account = uploadsOf(old.accountId)
      bySlug.set(slug, record)
      account.uploads[indexOf(account.uploads, old)] = record
      account.totals = add(add(account.totals, old, -1), record, 1)
      return record
    },
    remove(slug) {
      const record = bySlug.get(slug)
      if (record === undefined) return undefined
      const account = uploadsOf(record.accountId)
      bySlug.delete(slug)
      account.uploads.splice(indexOf(account.uploads, record), 1)
      account.totals = add(account.totals, record, -1)
      return record
    },
    removeAll(accountId) {
      const uploads = byAccount.get(accountId)?.uploads ?? []
      byAccount.delete(accountId)
      for (const upload of uploads) bySlug.delete(upload.slug)
      return uploads
    },
    all: () => [...bySlug.values()].sort((one, other) => one.id - other.id),
    lastId: () => lastId,
    load(uploads, highestId) {
      bySlug.clear()
      byAccount.clear()
      putAll(uploads)
      lastId = highestId
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

/** The index of a record, or where to insert it, in a list from oldest to newest. */
function indexOf(uploads: readonly UploadRecord[], record: UploadRecord): number {
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
