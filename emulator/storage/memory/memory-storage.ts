import { createMemoryFirstKey } from '../folder/first-key.ts'
import type { RequestCounts } from '../kept-requests.ts'
import { createRequestList } from '../kept-requests.ts'
import { createMapRecords } from '../map-records.ts'
import {
  type LogLimits,
  maxKeptRequestBytes,
  maxKeptRequests,
  type RecordStore,
  type RestorableRequestLog,
} from '../record-store.ts'
import type { RequestRecord } from '../records.ts'
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
  const maps = createMapRecords({
    accounts: new Map(),
    lastIds: new Map(),
    albums: new Map(),
    uploads: new Map(),
    requestCounts: new Map(),
    quotas: new Map(),
    sessions: new Map(),
    keyValues: new Map(),
  })
  const requests = createMemoryRequestLog(maps.requestCounts, limits)
  return {
    ...maps.tables,
    requests,
    dump: () => ({ ...maps.dump(), ...requests.dump() }),
    load(dump) {
      maps.load(dump)
      requests.load(dump)
    },
    flushed: () => Promise.resolve(),
    mark: () => 0,
  }
}

function createMemoryRequestLog(
  counts: RequestCounts,
  { maxKept = maxKeptRequests, maxBytes = maxKeptRequestBytes }: LogLimits = {},
): RestorableRequestLog {
  let bytes = 0
  let list = createRequestList()

  const dropOldest = () => {
    const oldest = list.shift()
    if (oldest === undefined) return
    bytes -= sizeOf(oldest)
    counts.add(oldest.accountId, { kept: -1, dropped: 1 })
  }
  const append = (request: RequestRecord) => {
    const size = sizeOf(request)
    while (counts.kept() > 0 && (counts.kept() >= maxKept || bytes + size > maxBytes)) dropOldest()
    list.append(request)
    bytes += size
    counts.add(request.accountId, { kept: 1 })
  }

  return {
    append,
    all: () => list.all(),
    ofAccount: (accountId) => [list.all().filter((request) => request.accountId === accountId)],
    lastOf: (accountId) => list.all().findLast((request) => request.accountId === accountId),
    kept: counts.kept,
    count: counts.of,
    dropped: counts.dropped,
    remove(matches) {
      const requests = list.all()
      const rest = requests.filter((request) => !matches(request))
      for (const request of requests) counts.add(request.accountId, { kept: -1 })
      list = createRequestList()
      bytes = 0
      for (const request of rest) append(request)
      return requests.length - rest.length
    },
    dump: () => ({ requests: [...list.all()], droppedRequests: counts.droppedByAccount() }),
    load({ requests, droppedRequests }) {
      list = createRequestList()
      bytes = 0
      counts.clear()
      for (const { accountId, count } of droppedRequests) counts.add(accountId, { dropped: count })
      for (const request of requests) append(request)
    },
  }
}

/** Bytes of a record besides its texts. */
const recordBytes = 120
/** Bytes of a file's entry besides its name. */
const fileBytes = 120

/** Bytes of a refusal's note besides its words. */
const refusalBytes = 120

function sizeOf({ endpoint, method, clientIp, headers = '', file, refusal }: RequestRecord): number {
  const note = refusal === undefined ? 0 : refusalBytes + (refusal.words ?? '').length
  const texts = endpoint.length + method.length + clientIp.length + headers.length + note
  return recordBytes + texts + (file === undefined ? 0 : fileBytes + file.name.length)
}
