import type { Control, Emulator, RequestInfo } from '../../../../emulator/index.ts'
import { steadyMs } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import type { ServedRequest } from '../../output/events.ts'
import { keysOf, redactHeaders, redactPath } from './redact-request.ts'
import { type WireExchange, watchWire } from './wire-watch.ts'

export interface RequestWatchOptions {
  readonly emulator: Emulator
  /** Measures how long requests take. */
  readonly clock: Clock
  readonly tell: (request: ServedRequest) => void
}

/** A request as seen on the wire. */
export interface ArrivedRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Epoch milliseconds of the emulator's clock; never later than the time in the log. */
  readonly arrivedAt: number
}

interface Arrival extends ArrivedRequest, WireExchange {
  /** On the measuring clock, in milliseconds. */
  readonly since: number
  /** Its log entry; API calls are reported only with one. */
  entry?: RequestInfo
  over?: { readonly durationMs: number; readonly isComplete: boolean }
}

/**
 * Reports every finished request to an emulator, except those to the control API. Duration and headers come from the
 * wire; account, cost and fault come from the emulator's log.
 *
 * @returns stops watching, after reporting all finished requests
 */
export function watchRequests({ emulator, clock, tell }: RequestWatchOptions): () => Promise<void> {
  const waiting = new Set<Arrival>()
  const ended = new AbortController()

  const tellOf = (arrival: Arrival) => {
    waiting.delete(arrival)
    tell(servedRequest(arrival, emulator))
  }

  const unwatch = watchWire((exchange) => {
    const { request, response } = exchange
    const { method = '', url = '/' } = request
    const path = url.split('?', 1)[0] ?? ''
    if (path.startsWith('/_emulator')) return
    const arrivedAt = emulator.clock.now()
    const arrival: Arrival = { ...exchange, method, path, arrivedAt, since: steadyMs(clock) }
    // A browser's preflight request (OPTIONS) is not logged.
    const isCall = method !== 'OPTIONS' && /^\/api(?:\/|$)/.test(path)
    if (isCall) waiting.add(arrival)
    response.once('close', () => {
      arrival.over = { durationMs: Math.round(steadyMs(clock) - arrival.since), isComplete: response.writableFinished }
      if (!isCall || arrival.entry !== undefined) tellOf(arrival)
    })
  })

  const follow = async () => {
    for await (const event of emulator.control.requests.stream({}, { signal: ended.signal })) {
      if (event.event === 'missed') tellTheRest()
      else enter(event.request)
    }
  }

  const enter = (entry: RequestInfo) => {
    const unentered = [...waiting].filter((arrival) => arrival.entry === undefined)
    const owner = ownerOf(entry, unentered)
    if (owner === undefined) return
    owner.entry = entry
    if (owner.over !== undefined) tellOf(owner)
  }

  /** Reports finished requests without a log entry, when no entry will come. */
  const tellTheRest = () => {
    for (const arrival of waiting) if (arrival.over !== undefined) tellOf(arrival)
  }

  // Following fails only if the store has failed, which the emulator reports itself.
  const following = follow().catch(() => {})
  return async () => {
    unwatch()
    ended.abort()
    await following
    tellTheRest()
  }
}

function servedRequest(arrival: Arrival, { apiKey, control }: Emulator): ServedRequest {
  const { request, response, method, arrivedAt, entry, over } = arrival
  const { url = '/' } = request
  const keys = [apiKey, ...keysOf(url, request.headers)]
  const answerHeaders = redactHeaders(arrival.sentHeaders(), keys)
  const length = Object.entries(answerHeaders).find(([name]) => /^content-length$/i.test(name))?.[1]
  return {
    at: new Date(arrivedAt).toISOString(),
    method: entry?.method ?? method,
    path: redactPath(url),
    status: response.headersSent ? response.statusCode : null,
    complete: over?.isComplete ?? false,
    duration_ms: over?.durationMs ?? 0,
    bytes: length === undefined ? null : Number(length),
    cost: entry?.cost ?? null,
    account: entry === undefined || entry.account_id === null ? null : accountName(entry.account_id, control),
    fault: entry?.fault ?? null,
    headers: redactHeaders(request.headers, keys),
    answer_headers: answerHeaders,
  }
}

/** The account may have been deleted since. */
function accountName(id: number, { accounts }: Control): string {
  try {
    return accounts.get(id).email
  } catch {
    return `account ${id}`
  }
}

/**
 * Finds the request that a log entry describes: among the requests to its path, the latest that had arrived by then. Of
 * several within one millisecond, as on a clock that stands still, it takes the first, so that two concurrent requests
 * may be confused.
 *
 * @param waiting the requests without an entry, in the order of their arrival
 */
export function ownerOf<T extends ArrivedRequest>(
  entry: Pick<RequestInfo, 'method' | 'endpoint' | 'at'>,
  waiting: readonly T[],
): T | undefined {
  const at = Date.parse(entry.at)
  const before = waiting.filter(({ path, arrivedAt }) => path === entry.endpoint && Math.floor(arrivedAt) <= at)
  const latest = Math.max(...before.map(({ arrivedAt }) => Math.floor(arrivedAt)))
  const last = before.filter(({ arrivedAt }) => Math.floor(arrivedAt) === latest)
  return last.find(({ method }) => method === entry.method) ?? last[0]
}
