import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions } from '../../checks/options.ts'
import { kindOf } from '../../checks/quoted.ts'
import { orAborted } from '../../system/signals.ts'
import { readWebStream } from '../sources/stream-source.ts'
import { ProgressWatch, received, watched } from './progress-watch.ts'
import type { RequestBody, Transport, TransportRequest, TransportResponse } from './transport.ts'
import { defaultIdleTimeoutMs, sentHeaders, withoutPacking } from './transport.ts'
import { idleTimeoutCheck } from './transport-failure.ts'

/** Anything that works like `fetch`: one that a test wrote, or an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/** Looked up at each request, because test tools replace it after the transport was made. */
const globalFetch: FetchLike = (request) => globalThis.fetch(request)

/**
 * A transport over a `fetch` function; without one, over the global `fetch` of the moment of each request. Returns
 * redirects without following them; after a body of 1 MiB or more as a 300 without an address, because otherwise `fetch`
 * would keep the whole body in memory.
 *
 * Limits of Node's `fetch`: it cannot read an unrequested `100 Continue`, so that such an exchange fails for good. An
 * aborted upload may still arrive. If a server answers and resets the connection with a large body unread, the answer may
 * be lost on the way (0 of 1,200 on one machine). Long downloads want another transport: where a server closes the connection
 * while the reader of a long answer is slow, the `fetch` of Node 24 may end the process (nodejs/undici#5360), and an answer
 * without a length passes for whole though its connection was reset.
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
      const watch = new ProgressWatch(idleTimeoutMs, request.signal)
      let sent: Request | undefined
      const over = () => {
        watch.stop()
        if (sent) inFlight.delete(sent)
      }
      try {
        sent = toRequest(request, watch)
        inFlight.add(sent)
        const response = await orAborted(fetchUnfollowed(fetch, sent), watch.signal)
        watch.moved()
        return toResponse(response, watch, over)
      } catch (error) {
        over()
        throw watch.failure(error)
      }
    },
  }
}

/** Node refers to a Request weakly from its signal: once a Request is collected, no abort or timeout reaches it. */
const inFlight = new Set<Request>()

/** A body of this size is too large to keep in memory. */
const LARGE_BYTES = 1_048_576

/** Always streams the body: after some answers `fetch` repeats a body that it can repeat. */
function toRequest(request: TransportRequest, watch: ProgressWatch): Request {
  const { method, url, body } = request
  const init = { method, headers: sentHeaders(request), signal: watch.signal }
  if (!body) return new Request(url, { ...init, redirect: 'manual' })
  const stream = ReadableStream.from(watched(hesitant(body), watch))
  // With 'manual', Node's `fetch` keeps a copy of everything it sends.
  const redirect = (body.length ?? LARGE_BYTES) < LARGE_BYTES ? 'manual' : 'error'
  return new Request(url, { ...init, redirect, body: stream, duplex: 'half' } as RequestInit)
}

/** A smaller body is sent at once. */
const HESITANT_BYTES = 65_536
/** About a third of a millisecond on an idle event loop. */
const HESITATION_TURNS = 100

/**
 * Pauses after the first chunk of a large body. If a server refuses by the headers and closes at once, further writes fail
 * and `fetch` drops the unread answer. The pause counts turns of the event loop, not time, because the service may run in
 * this process.
 */
async function* hesitant({ length = HESITANT_BYTES, chunks }: RequestBody): AsyncGenerator<Uint8Array> {
  let turns = length >= HESITANT_BYTES ? HESITATION_TURNS : 0
  for await (const chunk of chunks()) {
    yield chunk
    for (; turns > 0; turns -= 1) await nextTurn()
  }
}

/** The general code for redirects (RFC 9110 15): `fetch` does not say which one it was. */
const SOME_REDIRECT = 300

/** @throws every error of `fetch` except that of a redirect which it must not follow */
async function fetchUnfollowed(fetch: FetchLike, sent: Request): Promise<Response> {
  try {
    return await fetch(sent)
  } catch (error) {
    const { cause } = Object(error)
    if (sent.redirect !== 'error' || Object(cause).message !== 'unexpected redirect') throw error
    return new Response(null, { status: SOME_REDIRECT })
  }
}

function toResponse(
  { status, headers: given, body }: Response,
  watch: ProgressWatch,
  over: () => void,
): TransportResponse {
  // Some environments keep the names as the service wrote them: happy-dom does.
  const named = Object.fromEntries(Array.from(given, ([name, value]) => [name.toLowerCase(), value]))
  // `fetch` returns the body unpacked.
  const headers = named['content-encoding'] === undefined ? named : withoutPacking(named)
  const chunks = body === null ? ReadableStream.from([]) : readWebStream<Uint8Array>(body)
  return { status, headers, body: received(chunks, watch, over) }
}
