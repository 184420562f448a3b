import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, Server, type ServerResponse } from 'node:http'
import type { Control, Emulator, RequestInfo } from '../../../../emulator/index.ts'
import { steadyMs } from '../../../clock.ts'
import type { Clock } from '../../../index.ts'
import { isBun } from '../../../system/runtime.ts'
import type { ServedRequest } from '../../output/events.ts'

/** A request as seen on the wire. */
export interface ArrivedRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Epoch milliseconds of the emulator's clock; never later than the time in the log. */
  readonly arrivedAt: number
}

/** What Node's HTTP server has of a request. */
interface WireExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Arrival extends ArrivedRequest, WireExchange {
  /** The headers of the answer set so far. */
  sentHeaders(): Readonly<Record<string, unknown>>
  /** Its log entry; API calls are reported only with one. */
  entry?: RequestInfo
  over?: { readonly durationMs: number; readonly isComplete: boolean }
}

/** Node's diagnostics channel for received requests, before any handler sees them; it costs nothing without subscribers. */
const arrivals = 'http.server.request.start'

/**
 * Reports every finished request to an emulator, except those to the control API. Duration and headers come from the
 * wire; account, cost and fault come from the emulator's log.
 *
 * @param clock measures how long requests take
 * @returns stops watching, after reporting all finished requests
 */
export function watchRequests(
  emulator: Emulator,
  clock: Clock,
  tell: (request: ServedRequest) => void,
): () => Promise<void> {
  const waiting = new Set<Arrival>()
  const ended = new AbortController()

  const tellOf = (arrival: Arrival) => {
    waiting.delete(arrival)
    tell(servedRequest(arrival, emulator))
  }

  const arrive = (message: unknown) => {
    const { request, response } = message as WireExchange
    const { method = '', url = '/' } = request
    const path = url.split('?', 1)[0] ?? ''
    if (path.startsWith('/_emulator')) return
    const [arrivedAt, since] = [emulator.clock.now(), steadyMs(clock)]
    const arrival: Arrival = { request, response, sentHeaders: headersOf(response), method, path, arrivedAt }
    // A browser's preflight request (OPTIONS) is not logged.
    const isCall = method !== 'OPTIONS' && /^\/api(?:\/|$)/.test(path)
    if (isCall) waiting.add(arrival)
    response.once('close', () => {
      arrival.over = { durationMs: Math.round(steadyMs(clock) - since), isComplete: response.writableFinished }
      if (!isCall || arrival.entry !== undefined) tellOf(arrival)
    })
  }

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

  const unwatch = isBun ? watchEvents(arrive) : watchChannel(arrive)
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

function watchChannel(listen: (message: unknown) => void): () => void {
  subscribe(arrivals, listen)
  return () => void unsubscribe(arrivals, listen)
}

/** Bun 1.4 has no such channel: its servers tell of a request by an event alone. */
function watchEvents(listen: (message: unknown) => void): () => void {
  const { emit } = Server.prototype
  Server.prototype.emit = function (this: Server, event: string | symbol, ...words: readonly unknown[]) {
    if (event === 'request') listen({ request: words[0], response: words[1] })
    return Reflect.apply(emit, this, [event, ...words])
  }
  return () => {
    Server.prototype.emit = emit
  }
}

/** `getHeaders()` does not include headers passed to `writeHead`, so that call is intercepted. */
function headersOf(response: ServerResponse): () => Readonly<Record<string, unknown>> {
  let given: unknown
  const writeHead = response.writeHead.bind(response) as (...words: readonly unknown[]) => ServerResponse
  response.writeHead = (...words: readonly unknown[]) => {
    given = words.at(-1)
    return writeHead(...words)
  }
  return () => ({ ...response.getHeaders(), ...(typeof given === 'object' && given) })
}

const redacted = '[redacted]'
const secretHeaders = new Set(['x-api-key', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** A path with its query, with the value of every `api_key` replaced, also if its name is percent-encoded. */
export function redactPath(url: string): string {
  const [path = '', ...rest] = url.split('?')
  if (rest.length === 0) return path
  const fields = rest.join('?').split('&')
  return `${path}?${fields.map((field) => (isKey(field) ? `${nameOf(field)}=${redacted}` : field)).join('&')}`
}

/** The keys in a request's header and query, as they were sent. */
export function keysOf(url: string, headers: Readonly<Record<string, unknown>>): readonly string[] {
  const query = url.slice(url.indexOf('?') + 1)
  const inQuery = query.split('&').flatMap((field) => (isKey(field) ? [field.slice(nameOf(field).length + 1)] : []))
  return [String(headers['x-api-key'] ?? ''), ...inQuery].filter((key) => key !== '')
}

/** Headers by name, with secret headers and all occurrences of `keys` redacted. */
export function redactHeaders(
  headers: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, string>> {
  const withoutKeys = (text: string) => keys.reduce((rest, key) => rest.replaceAll(key, redacted), text)
  const shown = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    return [name, secretHeaders.has(name.toLowerCase()) ? redacted : withoutKeys(text)] as const
  })
  return Object.fromEntries(shown)
}

function nameOf(field: string): string {
  return field.split('=', 1)[0] ?? ''
}

function isKey(field: string): boolean {
  const name = new URLSearchParams(nameOf(field)).keys().next().value
  return name !== undefined && /^api_key\b/.test(name)
}
