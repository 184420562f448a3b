import type { QuotaLimits, WindowName } from '../../src/protocol/rate-limits.ts'
import type { WindowUse } from './window-use.ts'

/**
 * Where everything but file bytes is kept.
 *
 * Every call is synchronous. What must happen together (checking a quota and charging it, counting an upload and adding
 * it) then needs no lock: nothing else runs in between. The databases that fit inside an npm package answer
 * synchronously as well, so nothing is lost by it.
 *
 * What is written without waiting for the outside world in between becomes durable together or not at all: an upload
 * and the log's word of it are never apart. Nobody may be told of a change before {@link RecordStore.settled}.
 */
export interface RecordStore {
  readonly accounts: AccountRecords
  readonly uploads: UploadRecords
  readonly requests: RequestLog
  readonly quotas: QuotaRecords
  /** A copy of everything that is kept. */
  dump(): RecordDump
  /** Puts a dump in the place of everything that is kept; ids go on from the highest that dump ever gave. */
  load(dump: RecordDump): void
  /** What the emulator remembers of itself between runs; no part of a dump. */
  readonly notes: KeyValueRecords
  /**
   * Resolves once all that has been written so far will outlive this process, and uploads and deletions the machine's
   * loss of power as well; at once where nothing is durable.
   * @throws Error where something written since then could not be; later writes are tried again
   */
  settled(since?: number): Promise<void>
  /** Where changes stand now, for {@link RecordStore.settled}. */
  mark(): number
}

/** Everything a store keeps, as plain data. */
export interface RecordDump {
  /** In the order of their ids, as the uploads are. */
  readonly accounts: readonly AccountRecord[]
  readonly uploads: readonly UploadRecord[]
  /** Oldest first. */
  readonly requests: readonly RequestRecord[]
  readonly droppedRequests: readonly DroppedRequests[]
  readonly quotas: readonly KeyQuota[]
  /** The highest ids that were given so far. */
  readonly lastIds: { readonly account: number; readonly upload: number }
}

/** How many requests of an account the log no longer holds; they still count as its requests. */
export interface DroppedRequests {
  readonly accountId: number | null
  readonly count: number
}

export interface KeyQuota {
  readonly keyHash: string
  readonly state: QuotaState
}

/** What {@link RecordStore.load} takes to empty a store. */
export const nothingKept: RecordDump = {
  accounts: [],
  uploads: [],
  requests: [],
  droppedRequests: [],
  quotas: [],
  lastIds: { account: 0, upload: 0 },
}

export interface AccountRecord {
  /** Counts up from 1 and is never given twice. */
  readonly id: number
  readonly email: string
  /** SHA-256, hexadecimal. */
  readonly passwordHash: string
  /** SHA-256, hexadecimal; the key itself is kept nowhere (spec 1). */
  readonly keyHash: string
  readonly suspended: boolean
  /** Shown in place of the usual text while suspended (spec 5.6). */
  readonly suspensionReason: string | null
  /** Addresses and CIDR ranges; empty is unrestricted (spec 5.5). */
  readonly ipAllowlist: readonly string[]
  /** Limits of its own; a window that is not named has the service's. */
  readonly quotas: Partial<QuotaLimits> | null
  readonly albums: number
  readonly feedViews: number
}

export type AccountChanges = Partial<Omit<AccountRecord, 'id'>>

export interface AccountRecords {
  insert(account: Omit<AccountRecord, 'id'>): AccountRecord
  get(id: number): AccountRecord | undefined
  findByKeyHash(keyHash: string): AccountRecord | undefined
  /** In the order of their ids. */
  all(): readonly AccountRecord[]
  update(id: number, changes: AccountChanges): AccountRecord | undefined
  remove(id: number): AccountRecord | undefined
}

export interface UploadRecord {
  /** Counts up from 1 over all accounts; among uploads of one instant, the higher id is the newer. */
  readonly id: number
  readonly slug: string
  readonly accountId: number
  /** Null for an upload that was made without bytes. */
  readonly blobId: string | null
  readonly thumbnail: Thumbnail
  readonly title: string | null
  readonly mimeType: string
  readonly sizeBytes: number
  /** Of its page, its file and its embed page together (spec 2.1). */
  readonly views: number
  /** How many of its views were of its page or its embed page; absent for none. */
  readonly indirectViews?: number
  readonly likes: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Where an upload's thumbnail stands. */
export type Thumbnail =
  /** To be made once `dueAt` has come; epoch milliseconds. */
  | { readonly state: 'pending'; readonly dueAt: number }
  | { readonly state: 'ready'; readonly blobId: string; readonly mimeType: string; readonly sizeBytes: number }
  /** There is none, and none will be made unasked. */
  | { readonly state: 'none' }

export type UploadChanges = Partial<Pick<UploadRecord, 'title' | 'views' | 'indirectViews' | 'likes' | 'thumbnail'>>

/** What an account's uploads add up to; kept as running counters, for summing costs too much on big accounts. */
export interface UploadTotals {
  readonly uploads: number
  /** Those of the files themselves (spec 2.3). */
  readonly views: number
  readonly bytes: number
}

/** How many of an upload's views were of the file itself. */
export function directViews({ views, indirectViews = 0 }: UploadRecord): number {
  return Math.max(views - indirectViews, 0)
}

export interface UploadRecords {
  /** @returns undefined where the slug is taken */
  insert(upload: Omit<UploadRecord, 'id'>): UploadRecord | undefined
  /** Many at once, their slugs known to be free; each is found by its slug before the next is asked for. */
  insertAll(uploads: Iterable<Omit<UploadRecord, 'id'>>): void
  findBySlug(slug: string): UploadRecord | undefined
  /** All whose thumbnail is pending, in no particular order; asked for once, when the service starts. */
  awaitingThumbnail(): readonly UploadRecord[]
  /** Newest first, from an offset. */
  newest(accountId: number, range: { readonly offset: number; readonly limit: number }): readonly UploadRecord[]
  totals(accountId: number): UploadTotals
  update(slug: string, changes: UploadChanges): UploadRecord | undefined
  remove(slug: string): UploadRecord | undefined
  /** Removes an account's uploads, and tells which they were. */
  removeAll(accountId: number): readonly UploadRecord[]
}

/** One request to the service, as it was answered (spec 1). */
export interface RequestRecord {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  readonly status: number
  readonly clientIp: string
  /** When it arrived, in epoch milliseconds. */
  readonly at: number
  /** Units charged. */
  readonly cost: number
  /** Null where no key was resolved. */
  readonly accountId: number | null
  readonly keyIn: 'header' | 'query' | 'none'
  /** The type of the fault that struck it; absent where none did. */
  readonly fault?: string
  /** What it stored: size and CRC-32 of the bytes that arrived, enough to tell a repetition. Absent where nothing. */
  readonly content?: string
  /** How it came although its client had been told to wait; absent where it did not. */
  readonly breach?: Breach
}

/** A request that its client had been told not to send yet. */
export interface Breach {
  readonly kind: 'before_retry_after' | 'without_remaining'
  /** When it would have been in order; epoch milliseconds. */
  readonly until: number
  /** Whose key it brought, known to the log or not. */
  readonly accountId: number | null
}

/** How many requests a log holds; beyond that the oldest are dropped. */
export const mostKeptRequests = 100_000

/** What the texts of a log may weigh, so that long paths do not fill the memory; beyond that the oldest are dropped. */
export const mostKeptRequestBytes = 67_108_864

export interface RequestLog {
  append(request: RequestRecord): void
  /** Oldest first, {@link mostKeptRequests} at most, and {@link mostKeptRequestBytes}. */
  all(): readonly RequestRecord[]
  /** How many it holds, which is known without looking at them. */
  kept(): number
  /** How many were logged for an account, dropped ones included. */
  count(accountId: number): number
  /** How many the log no longer holds for want of room. */
  dropped(): number
  /** Forgets requests, as if they had not been made, and tells how many. */
  remove(matches: (request: RequestRecord) => boolean): number
}

/** The windows a key has been charged in; a window that is absent was never charged. */
export type QuotaState = Readonly<Partial<Record<WindowName, WindowUse>>>

/** Charges are kept per key (spec 8): a regenerated key starts afresh. */
export interface QuotaRecords {
  get(keyHash: string): QuotaState
  put(keyHash: string, state: QuotaState): void
  remove(keyHash: string): void
}

/** Values of JSON by name. */
export interface KeyValueRecords {
  /** Undefined where there is no such note. */
  get(name: string): unknown
  put(name: string, value: unknown): void
}
