import {
  type DroppedRequests,
  maxKeptRequestBytes,
  maxKeptRequests,
  type RequestLog,
  type RequestRecord,
} from '../record-store.ts'

/** The content of a request log, as plain data. */
export interface RequestLogDump {
  readonly requests: readonly RequestRecord[]
  readonly droppedRequests: readonly DroppedRequests[]
}

/** A log that can be saved and restored. */
export interface RestorableRequestLog extends RequestLog {
  dump(): RequestLogDump
  load(dump: RequestLogDump): void
}

export interface MemoryRequestLog extends RestorableRequestLog {
  /** Drops the oldest request, as a full log does. */
  dropOldest(): void
}

/**
 * @param maxKept defaults to {@link maxKeptRequests}
 * @param maxBytes defaults to {@link maxKeptRequestBytes}
 */
export function createMemoryRequestLog(
  maxKept: number = maxKeptRequests,
  maxBytes: number = maxKeptRequestBytes,
): MemoryRequestLog {
  let bytes = 0
  let requests: RequestRecord[] = []
  /** The index of the oldest kept request; dropped ones before it are removed in bulk. */
  let start = 0
  const kept = new Map<number | null, number>()
  const dropped = new Map<number | null, number>()

  const dropOldest = () => {
    const oldest = requests[start]
    if (oldest === undefined) return
    add(kept, oldest.accountId, -1)
    add(dropped, oldest.accountId, 1)
    start += 1
    bytes -= sizeOf(oldest)
    if (start > requests.length >> 1) compact()
  }
  /** Removes the dropped requests from the array. */
  const compact = () => {
    if (start > 0) requests = requests.slice(start)
    start = 0
  }
  const append = (request: RequestRecord) => {
    const weight = sizeOf(request)
    while (requests.length > start && (requests.length - start >= maxKept || bytes + weight > maxBytes)) dropOldest()
    requests.push(request)
    bytes += weight
    add(kept, request.accountId, 1)
  }

  return {
    append,
    dropOldest,
    all() {
      compact()
      return requests
    },
    kept: () => requests.length - start,
    count: (accountId) => (kept.get(accountId) ?? 0) + (dropped.get(accountId) ?? 0),
    dropped: () => sum(dropped.values()),
    remove(matches) {
      compact()
      const before = requests.length
      const rest = requests.filter((request) => !matches(request))
      requests = []
      bytes = 0
      kept.clear()
      for (const request of rest) append(request)
      return before - rest.length
    },
    dump() {
      compact()
      const counts = [...dropped].map(([accountId, count]) => ({ accountId, count }))
      return { requests: [...requests], droppedRequests: counts }
    },
    load(dump) {
      requests = []
      start = 0
      bytes = 0
      kept.clear()
      dropped.clear()
      for (const { accountId, count } of dump.droppedRequests) add(dropped, accountId, count)
      for (const request of dump.requests) append(request)
    },
  }
}

/** Bytes of a record besides its texts. */
const recordBytes = 120

function sizeOf({ endpoint, method, clientIp }: RequestRecord): number {
  return recordBytes + endpoint.length + method.length + clientIp.length
}

function add(counts: Map<number | null, number>, accountId: number | null, count: number): void {
  counts.set(accountId, (counts.get(accountId) ?? 0) + count)
}

function sum(counts: Iterable<number>): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
