import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalidValue, kindOf } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { abortable, anySignal, orAborted, over } from '../../system/signals.ts'
import { readWebStream } from '../sources/local-source.ts'
import {
  bodyError,
  defaultIdleTimeoutMs,
  exchangeError,
  idleTimeoutCheck,
  idleTimeoutError,
  type RequestBody,
  sentHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'

/** Anything that works like `fetch`: one that a test wrote, or an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/** Looked up at each request, because test tools replace it after the transport was made. */
const globalFetch: FetchLike = (request) => globalThis.fetch(request)

/**
 * A transport over a `fetch` function; without one, over the global `fetch` of the moment of each request. It follows no
 * redirects. What Node's `fetch` cannot: read a `100 Continue` unasked, name the address of a redirect after a body, keep an
 * aborted upload from arriving, tell a reset from the end of an answer without a length. docs/library.md says more.
 *
 * @throws TypeError if something other than a function is given
 */
export function fetchTransport(
  fetch: FetchLike = globalFetch,
  options: { readonly idleTimeoutMs?: number | undefined } = {},
): Transport {
  checkOptions('fetchTransport', options, { idleTimeoutMs: idleTimeoutCheck })
  const { idleTimeoutMs = defaultIdleTimeoutMs } = options
  if (typeof fetch !== 'function') {
    throw invalidValue(
      `fetchTransport takes a function like fetch, or nothing for the global one, not ${kindOf(fetch)}`,
    )
  }
  return {
    async send(request) {
      const watch = watchIdle(idleTimeoutMs, request.signal)
      try {
        watch.request = toRequest(request, watch)
        watch.begin()
        return toResponse(await orAborted(fetch(watch.request), watch.signal), watch)
      } catch (error) {
        watch.end()
        throw exchangeError(error, watch.signal)
      }
    },
  }
}

type IdleWatch = ReturnType<typeof watchIdle>

/** @returns the signal aborts when the caller does, or when nothing moves for too long */
function watchIdle(idleTimeoutMs: number, caller: AbortSignal | undefined) {
  const [idle, ended] = [new AbortController(), new AbortController()]
  let stop = () => {}
  return {
    signal: caller ? anySignal([caller, idle.signal], ended.signal) : idle.signal,
    /** Node refers to a Request weakly from its signal: once it is collected, no abort reaches it. The timer keeps it. */
    request: undefined as Request | undefined,
    /** From now on it is the other side's turn. */
    begin() {
      stop()
      stop = startTimer(systemClock, idleTimeoutMs, () => this.request && idle.abort(idleTimeoutError(idleTimeoutMs)))
    },
    pause: () => stop(),
    end() {
      stop()
      ended.abort(over)
    },
  }
}

/**
 * Always streams the body: after some answers `fetch` repeats a body that it can repeat. With the redirect mode `manual`,
 * Node's `fetch` would keep a copy of everything it sends.
 */
function toRequest(request: TransportRequest, watch: IdleWatch): Request {
  const { method, url, body } = request
  const init = { method, headers: sentHeaders(request), signal: watch.signal }
  if (!body) return new Request(url, { ...init, redirect: 'manual' })
  const stream = ReadableStream.from(hesitant(body, watch))
  return new Request(url, { ...init, redirect: 'error', body: stream, duplex: 'half' } as RequestInit)
}

/** About a third of a millisecond on an idle event loop. */
const HESITATION_TURNS = 100

/**
 * Pauses after the first chunk. If a server refuses by the headers and closes at once, further writes fail and `fetch` drops
 * the unread answer. The pause counts turns of the event loop, not time, because the service may run in this process.
 */
async function* hesitant({ chunks }: RequestBody, watch: IdleWatch) {
  let turns = HESITATION_TURNS
  for await (const chunk of chunks()) {
    watch.begin()
    yield chunk
    // Each chunk has a turn of its own, in which an early answer is heard.
    for (; turns > 0; turns -= 1) await nextTurn()
    turns = 1
  }
}

function toResponse({ status, headers: given, body }: Response, watch: IdleWatch): TransportResponse {
  // Some environments keep the names as the service wrote them: happy-dom does.
  const named = Object.fromEntries(Array.from(given, ([name, value]) => [name.toLowerCase(), value]))
  // `fetch` returns the body unpacked: these count or name its packed bytes.
  const packed = named['content-encoding'] ? ['content-encoding', 'content-length', 'etag', 'last-modified'] : []
  const headers = Object.fromEntries(Object.entries(named).filter(([name]) => !packed.includes(name)))
  return { status, headers, body: received(body === null ? ReadableStream.from([]) : readWebStream(body), watch) }
}

async function* received(chunks: AsyncIterable<Uint8Array>, watch: IdleWatch): AsyncGenerator<Uint8Array> {
  try {
    watch.begin()
    for await (const chunk of abortable(chunks, watch.signal)) {
      // The time that a reader takes is no silence.
      watch.pause()
      yield chunk
      watch.begin()
    }
  } catch (error) {
    throw bodyError(error, watch.signal)
  } finally {
    watch.end()
  }
}
