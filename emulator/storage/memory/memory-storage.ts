import { createMemoryFirstKey } from '../folder/first-key.ts'
import { createMapRecords } from '../map-records.ts'
import type { LogLimits, RecordStore } from '../record-store.ts'
import type { Storage } from '../storage.ts'
import { createMemoryRequestLog } from './memory-request-log.ts'
import { createMemoryUploads } from './memory-uploads.ts'
import { createTemporaryBlobs } from './temporary-blobs.ts'

/** Storage that exists only for this process. */
export function createMemoryStorage(): Storage {
  const records = createMemoryRecords()
  const blobs = createTemporaryBlobs()
  const { flushed } = records
  return { records, blobs, firstKey: createMemoryFirstKey(), isDurable: false, flushed, close: blobs.close }
}

/** Records that exist only for this process. */
export function createMemoryRecords(limits?: LogLimits): RecordStore {
  const { accounts, albums, quotas, sessions, keyValues, ...maps } = createMapRecords({
    accounts: new Map(),
    lastIds: new Map(),
    albums: new Map(),
    uploadTotals: new Map(),
    requestCounts: new Map(),
    quotas: new Map(),
    sessions: new Map(),
    keyValues: new Map(),
  })
  const uploads = createMemoryUploads(maps)
  const requests = createMemoryRequestLog(maps.requestCounts, limits)
  return {
    accounts,
    albums,
    uploads,
    requests,
    quotas,
    sessions,
    keyValues,
    dump: () => ({ ...maps.dump(), uploads: uploads.all(), ...requests.dump() }),
    load(dump) {
      maps.load(dump)
      uploads.load(dump.uploads)
      requests.load(dump)
    },
    flushed: () => Promise.resolve(),
    mark: () => 0,
  }
}
