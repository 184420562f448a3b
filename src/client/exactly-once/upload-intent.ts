import type { Upload } from '../../protocol/resources.ts'
import type { TimeSpan } from './created-at.ts'

/**
 * An upload that is about to be sent, as far as it takes to find out later what became of it. Plain data: it can be
 * written down as JSON before the first byte leaves and be settled by another process.
 */
export interface UploadIntent {
  /** In bytes; null where only the end of the stream will tell. */
  readonly size: number | null
  /** As sniffed from the file's first bytes. */
  readonly mimeType: string
  /** Epoch milliseconds: before the first byte of the first attempt that may have been stored. */
  readonly startedAt: number
  /** Epoch milliseconds: when the last attempt had ended; null where nobody saw it end. */
  readonly endedAt: number | null
  /** What the clock's monotonic time was at `startedAt`, where it has one: shows whether the clock was set since then. */
  readonly monotonic?: number
  /** Between which instants of the service's clock it began, in epoch milliseconds, where its answers had told by then. */
  readonly serviceStartedAt?: TimeSpan
  /** Uploads that are known to be other files; more may be added to what was written down. */
  readonly knownSlugs: readonly string[]
}

/** What the list says has become of an {@link UploadIntent}. */
export type Reconciliation =
  | { readonly type: 'stored'; readonly upload: Upload }
  | { readonly type: 'not-stored' }
  /** It may be one of these, or none of them. */
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }
