import { createRequestList, type RequestCounts, type RequestList } from './kept-requests.ts'
import type { RecordDump, RequestRecord } from './records.ts'

/** The size of the request log; beyond either limit the oldest requests are dropped. */
export interface LogLimits {
  /** Default: {@link maxKeptRequests}. */
  readonly maxKept?: number
  /** Of the requests' texts, so that long paths do not fill the memory. Default: {@link maxKeptRequestBytes}. */
  readonly maxBytes?: number
}

export const maxKeptRequests = 100_000
export const maxKeptRequestBytes = 67_108_864

/**
 * The request log.
 * @param byId a plain map or one of the database; by numbers that count up
 */
export function createMapRequests(
  byId: Map<number, RequestRecord>,
  counts: RequestCounts,
  { maxKept = maxKeptRequests, maxBytes = maxKeptRequestBytes }: LogLimits = {},
) {
  let lastId = 0
  /** No lower id is in the map; the map itself would look at each that was. */
  let oldestId = 0
  let bytes = 0
  /** Of all of them; made when they are first read, since the reader will come back. */
  let list: RequestList | undefined

  const index = () => {
    list = undefined
    bytes = 0
    ;[oldestId = 0] = byId.keys()
    lastId = 0
    for (const [id, request] of byId) {
      lastId = id
      bytes += sizeOf(request)
    }
  }
  index()
  const all = () => {
    list ??= createRequestList([...byId.values()])
    return list.all()
  }
  const take = (id: number, request: RequestRecord, dropped: 0 | 1) => {
    byId.delete(id)
    bytes -= sizeOf(request)
    counts.add(request.accountId, { kept: -1, dropped })
  }
  const dropOldest = () => {
    let oldest = byId.get(oldestId)
    for (; oldest === undefined; oldest = byId.get(oldestId)) oldestId += 1
    take(oldestId, oldest, 1)
    list?.shift()
  }
  const append = (request: RequestRecord) => {
    lastId += 1
    byId.set(lastId, request)
    list?.append(request)
    bytes += sizeOf(request)
    counts.add(request.accountId, { kept: 1 })
    while (byId.size > 1 && (byId.size > maxKept || bytes > maxBytes)) dropOldest()
  }

  return {
    append,
    /** Oldest first, within the {@link LogLimits}. */
    all,
    ofAccount: (accountId: number) => all().filter((request) => request.accountId === accountId),
    lastOf: (accountId: number) => all().findLast((request) => request.accountId === accountId),
    kept: counts.kept,
    /** How many requests of an account were logged, including dropped ones. */
    count: counts.of,
    /** How many requests were dropped for lack of room. */
    dropped: counts.dropped,
    /** Deletes requests as if they had not been made, and returns how many. */
    remove(matches: (request: RequestRecord) => boolean): number {
      const gone = [...byId].filter(([, request]) => matches(request))
      for (const [id, request] of gone) take(id, request, 0)
      list = undefined
      return gone.length
    },
    /** Drops some that need not be the oldest. */
    drop(ids: readonly number[]) {
      for (const id of ids) {
        const request = byId.get(id)
        if (request !== undefined) take(id, request, 1)
      }
      list = undefined
    },
    load({ requests, droppedRequests }: Pick<RecordDump, 'requests' | 'droppedRequests'>) {
      byId.clear()
      counts.clear()
      index()
      for (const { accountId, count } of droppedRequests) counts.add(accountId, { dropped: count })
      for (const request of requests) append(request)
    },
    /** Derives again what is kept besides the map. */
    index,
  }
}

export type RequestLog = ReturnType<typeof createMapRequests>

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
