import { steadyMs } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import type { ServedRequest } from '../../output/events.ts'
import { keysOf, redactHeaders, redactPath } from './redact-request.ts'
import { type ArrivedRequest, type LoggedRequest, ownerOf } from './request-matching.ts'
import { type WireExchange, watchWire } from './wire-watch.ts'

/** What the log of an emulator says of a request. */
interface LogEntry extends LoggedRequest {
  /** Units charged. */
  readonly cost: number
  readonly account_id: number | null
  readonly fault?: string
}

/** As much of an emulator as has to be known to tell of its requests. */
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
  /** By which it is measured how long a request took. */
  readonly clock: Clock
  readonly tell: (request: ServedRequest) => void
}

interface Arrival extends ArrivedRequest, WireExchange {
  /** By the clock that measures. */
  readonly since: number
  /** What the log says of it; a call of the API is told of once that is there. */
  entry?: LogEntry
  over?: { readonly durationMs: number; readonly isComplete: boolean }
}

/**
 * Tells of every request to an emulator once it is over, those of the control API left out. How long it took and what was
 * sent is seen on the wire; whose it was, what it cost and whether a fault struck it is in the emulator's log.
 *
 * @returns ends it, once all that is over has been told
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
    // What a browser asks before its calls is answered without a word in the log.
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

  /** Nothing more will be heard of them. */
  const tellTheRest = () => {
    for (const arrival of waiting) if (arrival.over !== undefined) tellOf(arrival)
  }

  // A log that cannot be followed is a store that has failed, which the emulator tells of itself.
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

/** It may have been deleted since. */
function accountName(id: number, { accounts }: WatchedEmulator['control']): string {
  try {
    return accounts.get(id).email
  } catch {
    return `account ${id}`
  }
}
