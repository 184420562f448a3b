import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalidValue, kindOf } from '../../checks/coded-error.ts'
import { abortable, orAborted, ownSignal } from '../../system/signals.ts'
import { readWebStream } from '../sources/local-source.ts'
import {
  bodyError,
  exchangeError,
  type RequestBody,
  sentHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'

/** Anything that works like `fetch`: one that a test wrote, or an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/** Node refers to a Request weakly from its signal: one that is collected hears of no abort. */
const underWay = new Set<Request>()

/**
 * A transport over a `fetch` function; without one, over the global `fetch` of the moment of each request. It follows no
 * redirects, and waits as long as that function does. What Node's `fetch` cannot: read a `100 Continue` unasked, name the
 * address of a redirect after a body, keep an aborted upload from arriving, tell a reset from the end of an answer without a
 * length. docs/library.md says more.
 *
 * @throws TypeError if something other than a function is given
 */
export function fetchTransport(
  // Looked up at each request, because test tools replace it after the transport was made.
  fetch: FetchLike = (request) => globalThis.fetch(request),
): Transport {
  if (typeof fetch !== 'function') {
    throw invalidValue(
      `fetchTransport takes a function like fetch, or nothing for the global one, not ${kindOf(fetch)}`,
    )
  }
  return {
    async send(request) {
      const { signal } = request
      const sent = toRequest(request)
      underWay.add(sent)
      try {
        return toResponse(await orAborted(fetch(sent), signal), signal)
      } catch (error) {
        throw exchangeError(error, signal)
      } finally {
        underWay.delete(sent)
      }
    },
  }
}

/**
 * Always streams the body: after some answers `fetch` repeats a body that it can repeat. With the redirect mode `manual`,
 * Node's `fetch` would keep a copy of everything it sends.
 */
function toRequest(request: TransportRequest): Request {
  const { method, url, body, signal } = request
  const init = { method, headers: sentHeaders(request), signal: signal ? ownSignal(signal) : null }
  if (!body) return new Request(url, { ...init, redirect: 'manual' })
  const stream = ReadableStream.from(hesitant(body))
  return new Request(url, { ...init, redirect: 'error', body: stream, duplex: 'half' } as RequestInit)
}

/** About a third of a millisecond on an idle event loop. */
const HESITATION_TURNS = 100

/**
 * Pauses after the first chunk. If a server refuses by the headers and closes at once, further writes fail and `fetch` drops
 * the unread answer. The pause counts turns of the event loop, not time, because the service may run in this process.
 */
async function* hesitant({ chunks }: RequestBody) {
  let turns = HESITATION_TURNS
  for await (const chunk of chunks()) {
    yield chunk
    // Each chunk has a turn of its own, in which an early answer is heard.
    for (; turns > 0; turns -= 1) await nextTurn()
    turns = 1
  }
}

function toResponse({ status, headers: given, body }: Response, signal: AbortSignal | undefined): TransportResponse {
  // Some environments keep the names as the service wrote them: happy-dom does.
  const named = Object.fromEntries(Array.from(given, ([name, value]) => [name.toLowerCase(), value]))
  // `fetch` returns the body unpacked: these count or name its packed bytes.
  const packed = named['content-encoding'] ? ['content-encoding', 'content-length', 'etag', 'last-modified'] : []
  const headers = Object.fromEntries(Object.entries(named).filter(([name]) => !packed.includes(name)))
  return { status, headers, body: received(body ?? ReadableStream.from([]), signal) }
}

async function* received(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  try {
    yield* abortable(readWebStream(body), signal)
  } catch (error) {
    throw bodyError(error, signal)
  }
}
