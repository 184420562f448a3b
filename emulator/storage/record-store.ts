import type { Soon } from '../values/soon.ts'
import type { Tables } from './map-records.ts'
import type { RecordDump } from './records.ts'

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
export type Flushed = (since?: number, of?: 'changes' | 'deletions') => Soon<void>

/** The database could not be written; all writes of the turn are undone. */
export class UnwrittenError extends Error {
  override readonly name = 'UnwrittenError'
}
