import {
  type DroppedRequests,
  mostKeptRequestBytes,
  mostKeptRequests,
  type RequestLog,
  type RequestRecord,
} from '../record-store.ts'

/** What a log holds, as plain data. */
export interface RequestLogDump {
  readonly requests: readonly RequestRecord[]
  readonly droppedRequests: readonly DroppedRequests[]
}

/** A log that can be written down. */
export interface KeptRequestLog extends RequestLog {
  dump(): RequestLogDump
  load(dump: RequestLogDump): void
}

export interface MemoryRequestLog extends KeptRequestLog {
  /** Drops the oldest request there is, as a full log does. */
  dropOldest(): void
}

/**
 * @param mostKept {@link mostKeptRequests} unless given
 * @param mostBytes {@link mostKeptRequestBytes} unless given
 */
export function createMemoryRequestLog(
  mostKept: number = mostKeptRequests,
  mostBytes: number = mostKeptRequestBytes,
): MemoryRequestLog {
  let bytes = 0
  let requests: RequestRecord[] = []
  /** Where the log begins in `requests`: the dropped ones before it are cut off many at a time. */
  let start = 0
  const kept = new Map<number | null, number>()
  const dropped = new Map<number | null, number>()

  const dropOldest = () => {
    const oldest = requests[start]
    if (oldest === undefined) return
    add(kept, oldest.accountId, -1)
    add(dropped, oldest.accountId, 1)
    start += 1
    bytes -= weightOf(oldest)
    if (start > requests.length >> 1) settle()
  }
  /** Makes `requests` the log and nothing else. */
  const settle = () => {
    if (start > 0) requests = requests.slice(start)
    start = 0
  }
  const append = (request: RequestRecord) => {
    const weight = weightOf(request)
    while (requests.length > start && (requests.length - start >= mostKept || bytes + weight > mostBytes)) dropOldest()
    requests.push(request)
    bytes += weight
    add(kept, request.accountId, 1)
  }

  return {
    append,
    dropOldest,
    all() {
      settle()
      return requests
    },
    kept: () => requests.length - start,
    count: (accountId) => (kept.get(accountId) ?? 0) + (dropped.get(accountId) ?? 0),
    dropped: () => sum(dropped.values()),
    remove(matches) {
      settle()
      const before = requests.length
      const rest = requests.filter((request) => !matches(request))
      requests = []
      bytes = 0
      kept.clear()
      for (const request of rest) append(request)
      return before - rest.length
    },
    dump() {
      settle()
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

/** What a record takes beside its texts. */
const recordBytes = 120

function weightOf({ endpoint, method, clientIp }: RequestRecord): number {
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
