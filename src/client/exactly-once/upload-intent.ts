import type { Upload } from '../../protocol/resources.ts'
import type { TimeSpan } from './created-at.ts'

/**
 * An upload that is about to be sent: all that is needed to find out later whether it was stored. Plain data that can be
 * saved as JSON before the first byte leaves, for another process to reconcile.
 */
export interface UploadIntent {
  /** In bytes; null for a stream of unknown size. */
  readonly size: number | null
  /** By the file's first bytes. */
  readonly mimeType: string
  /** Epoch milliseconds: before the first byte of the first attempt that may have been stored. */
  readonly startedAt: number
  /** Epoch milliseconds: when the last attempt had ended; null if unknown. */
  readonly endedAt: number | null
  /** The clock's monotonic time at `startedAt`, if it has one: shows later whether the clock was set since. */
  readonly monotonic?: number
  /** When it began by the service's clock, if its answers had told the time by then. */
  readonly serviceStartedAt?: TimeSpan
  /** Slugs of other files; more may be added after the intent was saved. */
  readonly knownSlugs: readonly string[]
}

/** What the list says about an {@link UploadIntent}. */
export type Reconciliation =
  | { readonly type: 'stored'; readonly upload: Upload }
  | { readonly type: 'not-stored' }
  /** It may be one of these, or none. Without candidates the list could not be read for it. */
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }

/** An upload that may have been stored. */
export interface UncertainUpload {
  readonly intent: UploadIntent
  /** The service's time from its beginning to its end, by what is known of that clock now: each answer tells more. */
  made(): TimeSpan
  /** Whether the list showed a slug before this upload began. */
  wasSeenBefore(slug: string): boolean
  /** Milliseconds since its last attempt ended; 0 if unknown. */
  quietMs(): number
}
