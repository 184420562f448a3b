import type { Tables } from './map-records.ts'
import type { RecordDump, RequestRecord } from './records.ts'

/**
 * Stores everything except file bytes.
 *
 * Every call is synchronous, so that steps that belong together (checking and charging a quota, adding and counting an
 * upload) need no lock. The databases that fit into an npm package are synchronous too.
 *
 * Changes made without awaiting in between become durable together or not at all, such as an upload and its log entry.
 * Clients learn of a change only after {@link RecordStore.flushed}.
 */
export interface RecordStore extends Tables {
  readonly requests: RequestLog
  /** A copy of all records. */
  dump(): RecordDump
  /** Replaces all records by a dump; ids continue after the highest the dump's store ever assigned. */
  load(dump: RecordDump): void
  /**
   * Resolves once all earlier changes survive the end of this process, and uploads and deletions also a power failure;
   * at once if nothing is durable.
   */
  readonly flushed: Flushed
  /** The current position, for {@link RecordStore.flushed}. */
  mark(): number
}

/**
 * @param since a position from {@link RecordStore.mark}; defaults to the current one
 * @param of what must be safe; defaults to all changes. A deletion is safe though the disk was too full for the changes of others
 * @throws Error if one of those, made since then and before this call, could not be written; later changes are tried again
 */
export type Flushed = (since?: number, of?: 'changes' | 'deletions') => Promise<void>

/** The size of the request log; beyond either limit the oldest requests are dropped. */
export interface LogLimits {
  /** Default: {@link maxKeptRequests}. */
  readonly maxKept?: number
  /** Of the requests' texts, so that long paths do not fill the memory. Default: {@link maxKeptRequestBytes}. */
  readonly maxBytes?: number
}

export const maxKeptRequests = 100_000
export const maxKeptRequestBytes = 67_108_864

/** What a request of the log was, without what a client sent with it. */
export type LoggedCall = Pick<RequestRecord, 'at' | 'method' | 'endpoint' | 'status'>

export interface RequestLog {
  append(request: RequestRecord): void
  /** Oldest first, within the {@link LogLimits}. */
  all(): readonly RequestRecord[]
  /** What an account's requests were, oldest first, in pieces: between two of them, others can have their turn. */
  ofAccount(accountId: number): Iterable<readonly LoggedCall[]>
  lastOf(accountId: number): RequestRecord | undefined
  kept(): number
  /** How many requests of an account were logged, including dropped ones. */
  count(accountId: number): number
  /** How many requests were dropped for lack of room. */
  dropped(): number
  /** Deletes requests as if they had not been made, and returns how many. */
  remove(matches: (request: RequestRecord) => boolean): number
}

/** A log that can be saved and restored. */
export interface RestorableRequestLog extends RequestLog {
  dump(): RequestLogDump
  load(dump: RequestLogDump): void
}

type RequestLogDump = Pick<RecordDump, 'requests' | 'droppedRequests'>

/** The database could not be written; all writes of the turn are undone. */
export class UnwrittenError extends Error {
  override readonly name = 'UnwrittenError'
}
