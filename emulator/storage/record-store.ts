import type { QuotaLimits, WindowName } from '../../src/protocol/rate-limits.ts'

/**
 * Where everything but file bytes is kept.
 *
 * Every call is synchronous and one transaction of its own. What must happen together (checking a quota and charging
 * it, counting an upload and adding it) then needs no lock: nothing else runs in between. The databases that fit
 * inside an npm package answer synchronously as well, so nothing is lost by it.
 */
export interface RecordStore {
  readonly accounts: AccountRecords
  readonly uploads: UploadRecords
  readonly requests: RequestLog
  readonly quotas: QuotaRecords
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
  readonly blobId: string
  readonly title: string | null
  readonly mimeType: string
  readonly sizeBytes: number
  readonly views: number
  readonly likes: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export type UploadChanges = Partial<Pick<UploadRecord, 'title' | 'views' | 'likes'>>

/** What an account's uploads add up to; kept as running counters, for summing costs too much on big accounts. */
export interface UploadTotals {
  readonly uploads: number
  readonly views: number
  readonly bytes: number
}

export interface UploadRecords {
  /** @returns undefined where the slug is taken */
  insert(upload: Omit<UploadRecord, 'id'>): UploadRecord | undefined
  findBySlug(slug: string): UploadRecord | undefined
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
}

export interface RequestLog {
  append(request: RequestRecord): void
  /** Oldest first. */
  all(): readonly RequestRecord[]
  /** How many were logged for an account. */
  count(accountId: number): number
}

/** What one window has been charged. */
export interface WindowUse {
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly units: number
}

/** The windows a key has been charged in; a window that is absent was never charged. */
export type QuotaState = Readonly<Partial<Record<WindowName, WindowUse>>>

/** Charges are kept per key (spec 8): a regenerated key starts afresh. */
export interface QuotaRecords {
  get(keyHash: string): QuotaState
  put(keyHash: string, state: QuotaState): void
  remove(keyHash: string): void
}
