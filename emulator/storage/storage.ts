import type { BlobStore } from './blob-store.ts'
import { createMemoryFirstKey, type FirstKey } from './folder/first-key.ts'
import { createMemoryRecords } from './memory/memory-records.ts'
import { createTemporaryBlobs } from './memory/temporary-blobs.ts'
import type { RecordStore } from './record-store.ts'

/** Everything an emulator keeps. */
export interface Storage {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly firstKey: FirstKey
  /**
   * Resolves once what was changed so far is safe and what was removed is gone; nobody is told of a change before.
   * @param since a mark of the records; the present one unless given
   * @throws Error where something changed since then could not be written
   */
  settled(since?: number): Promise<void>
  /** Brings to disk what is to last, and removes the rest. */
  close(): Promise<void>
}

/** For as long as the process. */
export function createMemoryStorage(): Storage {
  const blobs = createTemporaryBlobs()
  return {
    records: createMemoryRecords(),
    blobs,
    firstKey: createMemoryFirstKey(),
    settled: () => Promise.resolve(),
    close: () => blobs.close(),
  }
}
