import { setImmediate as nextTurn } from 'node:timers/promises'
import { anySignal } from '../../../src/system/signals.ts'
import { type HttpHandler, type HttpReply, type HttpRequest, noBody, RequestAbortedError } from '../../http-types.ts'
import { orElse } from '../../values/maybe-promise.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { NotBytesError } from './fetch-body.ts'
import { type FetchCall, partsOf, readFetchCall } from './fetch-call.ts'
import { toResponse } from './fetch-response.ts'

export interface FetchOptions {
  /** Aborts every request in progress. */
  readonly cut?: AbortSignal
  /** Where a path without a host leads, as an absolute URL. */
  readonly base?: () => string
}

/**
 * Turns the handler into a fetch function for callers in the same process. Without a connection to break, a reset
 * becomes what `fetch` reports: a TypeError whose cause has the code ECONNRESET, or a body that ends in a TypeError.
 */
export function toFetch(handle: HttpHandler, options: FetchOptions = {}): typeof globalThis.fetch {
  const { cut = new AbortController().signal, base = () => 'http://localhost' } = options
  const takeTurn = createTurnTaking()
  return async (input: unknown, init?: unknown) => {
    const first = readFetchCall(input, init, base)
    const turn = takeTurn()
    if (turn !== undefined) await turn
    for (let call = first, hops = 0; ; hops += 1) {
      const reply = await send(handle, call, cut)
      const next = afterRedirect(call, reply, hops)
      if (next === undefined) return toResponse(reply, call, hops > 0)
      call = next
    }
  }
}

function send(handle: HttpHandler, { method, url, headers, body, signal }: FetchCall, cut: AbortSignal) {
  signal?.throwIfAborted()
  const ends = signal === undefined ? [cut] : [signal, cut]
  const { origin, target } = partsOf(url.href)
  const request: HttpRequest = {
    method,
    url: target,
    origin,
    headers,
    clientIp: '127.0.0.1',
    body: body === undefined ? noBody : body.chunks(ends),
    clientGone: () => anySignal(ends),
  }
  return orElse<HttpReply>(
    () => handle(request),
    (error) => {
      signal?.throwIfAborted()
      if (error instanceof ConnectionResetError) throw failedBy(error)
      if (!(error instanceof RequestAbortedError)) throw error
      if (cut.aborted) throw failedBy(cut.reason)
      throw error.cause instanceof NotBytesError ? error.cause : failedBy(error.cause)
    },
  )
}

/** As many as browsers and Node follow. */
const mostRedirects = 20

/**
 * The call that follows a redirect (Fetch 4.4); every host is the emulator's.
 * @returns undefined if the reply is for the caller
 * @throws TypeError if the caller takes no redirects, or they have no end
 */
function afterRedirect(call: FetchCall, { status, headers }: HttpReply, hops: number): FetchCall | undefined {
  const { method, url, redirect } = call
  const location = /^30[12378]$/.test(String(status)) ? headers['Location'] : undefined
  if (location === undefined || redirect === 'manual') return undefined
  if (redirect === 'error') throw failedBy(new Error('unexpected redirect'))
  if (hops === mostRedirects) throw failedBy(new Error('redirect count exceeded'))
  if (!URL.canParse(location, url.href)) throw failedBy(new Error(`the redirect leads to ${location}, which is no URL`))
  const next = { ...call, url: new URL(location, url) }
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(method) : status < 303 && method === 'POST'
  if (becomesGet) return { ...next, method: 'GET', headers: withoutBody(call), body: undefined }
  if (call.body !== undefined && call.body.length === undefined)
    throw failedBy(new Error('a stream cannot be sent again'))
  return next
}

/** Headers that describe a body are not repeated without one. */
function withoutBody({ headers }: FetchCall): FetchCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
}

function failedBy(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** Requests per turn of the event loop: more than a client sends between two moments of a virtual clock. */
const mostPerTurn = 1_000

/**
 * A program that sends requests in a loop would otherwise keep every timer from firing.
 * @returns a function to call for each request; it returns a promise to wait for once the turn has had enough
 */
function createTurnTaking(): () => Promise<void> | undefined {
  let times = 0
  const begin = () => {
    times = 0
  }
  return () => {
    if (times === 0) void nextTurn().then(begin)
    times += 1
    return times > mostPerTurn ? nextTurn() : undefined
  }
}
