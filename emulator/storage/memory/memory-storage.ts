import { createMemoryFirstKey } from '../folder/first-key.ts'
import { createMapRecords, type RecordMaps } from '../map-records.ts'
import type { LogLimits } from '../map-requests.ts'
import type { RecordStore } from '../record-store.ts'
import type { Storage } from '../storage.ts'
import { createTemporaryBlobs } from './temporary-blobs.ts'

/** Storage that exists only for this process. */
export function createMemoryStorage(): Storage {
  const records = createMemoryRecords()
  const blobs = createTemporaryBlobs()
  const { flushed } = records
  return { records, blobs, firstKey: createMemoryFirstKey(), isDurable: false, flushed, close: blobs.close }
}

export function createMemoryRecords(limits?: LogLimits): RecordStore {
  const maps: RecordMaps = {
    accounts: new Map(),
    lastIds: new Map(),
    albums: new Map(),
    uploads: new Map(),
    requests: new Map(),
    requestCounts: new Map(),
    quotas: new Map(),
    sessions: new Map(),
    keyValues: new Map(),
  }
  const { tables, dump, load } = createMapRecords(maps, limits)
  return { ...tables, dump, load, flushed: () => {}, mark: () => 0 }
}
