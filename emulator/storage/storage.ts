import type { BlobStore } from './blob-store.ts'
import type { FirstKey } from './folder/first-key.ts'
import type { Flushed, RecordStore } from './record-store.ts'

export interface Storage {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly firstKey: FirstKey
  /** Whether the next process has what this one stored. */
  readonly isDurable: boolean
  /** Resolves once all earlier changes are safe and removed blobs are gone. Clients learn of a change only then. */
  readonly flushed: Flushed
  /** Writes what should last and removes the rest. */
  close(): Promise<void>
}
