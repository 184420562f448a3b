import { steadyMs } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import type { ServedRequest } from '../../output/events.ts'
import { keysOf, redactHeaders, redactPath } from './redact-request.ts'
import { type ArrivedRequest, type LoggedRequest, ownerOf } from './request-matching.ts'
import { type WireExchange, watchWire } from './wire-watch.ts'

/** An entry of the emulator's request log. */
interface LogEntry extends LoggedRequest {
  /** Units charged. */
  readonly cost: number
  readonly account_id: number | null
  readonly fault?: string
}

/** The part of an emulator that is needed to report its requests. */
export interface WatchedEmulator {
  readonly apiKey: string
  readonly clock: Pick<Clock, 'now'>
  readonly control: {
    readonly requests: {
      stream(
        filter: object,
        options: { readonly signal: AbortSignal },
      ): AsyncIterable<
        { readonly event: 'request'; readonly request: LogEntry } | { readonly event: 'missed'; readonly count: number }
      >
    }
    readonly accounts: { get(id: number): { readonly email: string } }
  }
}

export interface RequestWatchOptions {
  readonly emulator: WatchedEmulator
  /** Measures how long requests take. */
  readonly clock: Clock
  readonly tell: (request: ServedRequest) => void
}

interface Arrival extends ArrivedRequest, WireExchange {
  /** On the measuring clock, in milliseconds. */
  readonly since: number
  /** Its log entry; API calls are reported only with one. */
  entry?: LogEntry
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

  const enter = (entry: LogEntry) => {
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

function servedRequest(arrival: Arrival, { apiKey, control }: WatchedEmulator): ServedRequest {
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
function accountName(id: number, { accounts }: WatchedEmulator['control']): string {
  try {
    return accounts.get(id).email
  } catch {
    return `account ${id}`
  }
}
