import type { QuotaLimits, WindowKind, WindowName } from '../../src/protocol/rate-limits.ts'

/**
 * Stores everything except file bytes.
 *
 * Every call is synchronous, so that steps that belong together (checking and charging a quota, adding and counting an
 * upload) need no lock. The databases that fit into an npm package are synchronous too.
 *
 * Changes made without awaiting in between become durable together or not at all, such as an upload and its log entry.
 * Clients learn of a change only after {@link RecordStore.flushed}.
 */
export interface RecordStore {
  readonly accounts: AccountRecords
  readonly uploads: UploadRecords
  readonly requests: RequestLog
  readonly quotas: QuotaRecords
  /** A copy of all records. */
  dump(): RecordDump
  /** Replaces all records by a dump; ids continue after the highest the dump's store ever assigned. */
  load(dump: RecordDump): void
  /** The emulator's own data that survives a restart; not part of a dump. */
  readonly keyValues: KeyValueRecords
  /**
   * Resolves once all earlier changes survive the end of this process, and uploads and deletions also a power failure;
   * at once if nothing is durable.
   * @throws Error if a change made since then could not be written; later changes are tried again
   */
  flushed(since?: number): Promise<void>
  /** The current position, for {@link RecordStore.flushed}. */
  mark(): number
}

/** All records as plain data. */
export interface RecordDump {
  /** In order of id, like `uploads`. */
  readonly accounts: readonly AccountRecord[]
  readonly uploads: readonly UploadRecord[]
  /** Oldest first. */
  readonly requests: readonly RequestRecord[]
  readonly droppedRequests: readonly DroppedRequests[]
  readonly quotas: readonly KeyQuota[]
  /** The highest ids assigned so far. */
  readonly lastIds: { readonly account: number; readonly upload: number }
}

/** Requests of an account that the log has dropped; statistics still count them. */
export interface DroppedRequests {
  readonly accountId: number | null
  readonly count: number
}

export interface KeyQuota {
  readonly keyHash: string
  readonly state: QuotaState
}

/** Empties a store, passed to {@link RecordStore.load}. */
export const emptyDump: RecordDump = {
  accounts: [],
  uploads: [],
  requests: [],
  droppedRequests: [],
  quotas: [],
  lastIds: { account: 0, upload: 0 },
}

export interface AccountRecord {
  /** Counts up from 1 and is never reused. */
  readonly id: number
  readonly email: string
  /** SHA-256, hexadecimal. */
  readonly passwordHash: string
  /** SHA-256, hexadecimal; the key itself is not stored (spec 1). */
  readonly keyHash: string
  readonly suspended: boolean
  /** The message while suspended, instead of the usual one (spec 5.6). */
  readonly suspensionReason: string | null
  /** Addresses and CIDR ranges; empty allows all (spec 5.5). */
  readonly ipAllowlist: readonly string[]
  /** The account's own limits; other windows have the service's. */
  readonly quotas: Partial<QuotaLimits> | null
  readonly albums: number
  readonly feedViews: number
}

export type AccountChanges = Partial<Omit<AccountRecord, 'id'>>

export interface AccountRecords {
  insert(account: Omit<AccountRecord, 'id'>): AccountRecord
  get(id: number): AccountRecord | undefined
  findByKeyHash(keyHash: string): AccountRecord | undefined
  /** In order of id. */
  all(): readonly AccountRecord[]
  update(id: number, changes: AccountChanges): AccountRecord | undefined
  remove(id: number): AccountRecord | undefined
}

export interface UploadRecord {
  /** Counts up from 1 over all accounts; of two uploads with the same instant, the higher id is newer. */
  readonly id: number
  readonly slug: string
  readonly accountId: number
  /** Null for a synthetic upload, which has no stored bytes. */
  readonly blobId: string | null
  readonly thumbnail: Thumbnail
  readonly title: string | null
  readonly mimeType: string
  readonly sizeBytes: number
  /** Views of its page, file and embed page together (spec 2.1). */
  readonly views: number
  /** How many of the views were of its page or embed page; absent means none. */
  readonly indirectViews?: number
  readonly likes: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The state of an upload's thumbnail. */
export type Thumbnail =
  /** To be made at `dueAt`, in epoch milliseconds. */
  | { readonly state: 'pending'; readonly dueAt: number }
  | { readonly state: 'ready'; readonly blobId: string; readonly mimeType: string; readonly sizeBytes: number }
  /** None exists, and none will be made unless requested. */
  | { readonly state: 'none' }

/** The counters of a new upload. */
export const noCounts = { views: 0, likes: 0 } as const satisfies Partial<UploadRecord>

export type UploadChanges = Partial<Pick<UploadRecord, 'title' | 'views' | 'indirectViews' | 'likes' | 'thumbnail'>>

/** The totals of an account's uploads, kept up to date because adding them up is slow for large accounts. */
export interface UploadTotals {
  readonly uploads: number
  /** Views of the files themselves (spec 2.3). */
  readonly views: number
  readonly bytes: number
}

/** How many of an upload's views were of the file itself. */
export function directViews({ views, indirectViews = 0 }: UploadRecord): number {
  return Math.max(views - indirectViews, 0)
}

export interface UploadRecords {
  /** @returns undefined if the slug is taken */
  insert(upload: Omit<UploadRecord, 'id'>): UploadRecord | undefined
  /** Inserts many uploads with free slugs; each can be found by slug before the next is read from `uploads`. */
  insertAll(uploads: Iterable<Omit<UploadRecord, 'id'>>): void
  findBySlug(slug: string): UploadRecord | undefined
  /** Uploads with a pending thumbnail, in any order; needed only at the start. */
  awaitingThumbnail(): readonly UploadRecord[]
  /** Newest first. */
  newest(accountId: number, range: { readonly offset: number; readonly limit: number }): readonly UploadRecord[]
  totals(accountId: number): UploadTotals
  update(slug: string, changes: UploadChanges): UploadRecord | undefined
  remove(slug: string): UploadRecord | undefined
  /** Removes an account's uploads and returns them. */
  removeAll(accountId: number): readonly UploadRecord[]
}

/** An answered request to the service (spec 1). */
export interface RequestRecord {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  readonly status: number
  readonly clientIp: string
  /** Time of arrival, in epoch milliseconds. */
  readonly at: number
  /** Charged units. */
  readonly cost: number
  /** Null if the key has no account. */
  readonly accountId: number | null
  readonly keyIn: 'header' | 'query' | 'none'
  /** The type of the fault that hit the request; absent if none did. */
  readonly fault?: string
  /** Size and CRC-32 of the file it stored, to recognise duplicates; absent if it stored none. */
  readonly content?: string
  /** How the request ignored earlier advice; absent if it did not. */
  readonly breach?: Violation
}

/** A request sent before the client had waited as told. */
export interface Violation {
  readonly kind: 'before_retry_after' | 'without_remaining'
  /** When the request would have been allowed; epoch milliseconds. */
  readonly until: number
  /** The key's account, even if the request was refused before its lookup. */
  readonly accountId: number | null
}

/** The log's size; beyond it the oldest requests are dropped. */
export const maxKeptRequests = 100_000

/**
 * The size of the log's texts, so that long paths do not fill the memory; beyond it the oldest requests are dropped.
 */
export const maxKeptRequestBytes = 67_108_864

export interface RequestLog {
  append(request: RequestRecord): void
  /** Oldest first, within {@link maxKeptRequests} and {@link maxKeptRequestBytes}. */
  all(): readonly RequestRecord[]
  /** How many requests the log has. */
  kept(): number
  /** How many requests of an account were logged, including dropped ones. */
  count(accountId: number): number
  /** How many requests were dropped for lack of room. */
  dropped(): number
  /** Deletes requests as if they had not been made, and returns how many. */
  remove(matches: (request: RequestRecord) => boolean): number
}

/** What a window was charged: plain data of bounded size. Only the rules of its kind know what else is in it. */
export interface WindowUse {
  readonly kind: WindowKind
}

/** A key's charged windows; a missing window was never charged. */
export type QuotaState = Readonly<Partial<Record<WindowName, WindowUse>>>

/** Charges belong to the key (spec 8): a regenerated key starts with none. */
export interface QuotaRecords {
  get(keyHash: string): QuotaState
  put(keyHash: string, state: QuotaState): void
  remove(keyHash: string): void
}

/** JSON values by name. */
export interface KeyValueRecords {
  /** Undefined if the name has no value. */
  get(name: string): unknown
  put(name: string, value: unknown): void
}

/** The database could not be written; all writes of the turn are undone. */
export class UnwrittenError extends Error {
  override readonly name = 'UnwrittenError'
}
