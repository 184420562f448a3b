import { orAborted } from '../../system/abortable.ts'
import { nextTurn, type ProgressWatch, watched, watchProgress } from './progress-watch.ts'
import {
  defaultIdleTimeoutMs,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { exchangeError } from './transport-failure.ts'
import { sentHeaders } from './wire-headers.ts'

/** Anything that answers a Request as `fetch` does: the global one, one patched by MSW, an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/**
 * A transport over a `fetch` function. Redirects are handed back, not followed; after a body of 1 MiB and more as 300
 * without an address, because `fetch` tells no more of them unless it may hold the whole body in memory.
 *
 * What `fetch` does with its connections is its own. Node's cannot read a `100 Continue` that was not asked for: such an
 * exchange fails for good. An upload that is given up may still arrive. Where a server answers and resets the connection
 * with a large body unread, an answer that is still on its way is lost: none of 1,200 on one machine, more on a long way.
 */
export function fetchTransport(fetch: FetchLike, options: { readonly idleTimeoutMs?: number } = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs } = options
  return {
    async send(request) {
      const watch = watchProgress(idleTimeoutMs, request.signal)
      try {
        const sent = toRequest(request, watch)
        inFlight.add(sent)
        watch.whenStopped(() => inFlight.delete(sent))
        return toResponse(await orAborted(fetchUnfollowed(fetch, sent), watch.signal), request, watch)
      } catch (error) {
        watch.stop()
        throw failure(error, request, watch)
      }
    },
  }
}

/**
 * Node ties a Request to its signal by a weak reference: one that nobody holds is collected, and then no abort and no
 * timeout reaches its exchange any more.
 */
const inFlight = new Set<Request>()

/** From here on a body is too large to be held as a whole. */
const LARGE_BYTES = 1_048_576

/** The body is a stream whatever its size: `fetch` sends one that it could repeat a second time after some answers. */
function toRequest(request: TransportRequest, watch: ProgressWatch): Request {
  const { method, url, body } = request
  const init = { method, headers: sentHeaders(request), signal: watch.signal }
  if (!body) return new Request(url, { ...init, redirect: 'manual' })
  const stream = ReadableStream.from(watched(hesitant(body), watch))
  // Where another request might have to follow, Node's `fetch` keeps a copy of all that it sends.
  const redirect = (body.length ?? LARGE_BYTES) < LARGE_BYTES ? 'manual' : 'error'
  return new Request(url, { ...init, redirect, body: stream, duplex: 'half' } as RequestInit)
}

/** A body below this is sent in one go. */
const HESITANT_BYTES = 65_536
/** A third of a millisecond where nothing else is to be done. */
const HESITATION_TURNS = 100

/**
 * A server that refuses by the headers alone, and closes at once, has its answer lost when more is sent to it: `fetch`
 * throws away what it has not read when a write fails. So a large body lets others take their turn after its first
 * chunk. It does not wait by the clock, because the service may be in this process, where there is nothing to wait for.
 */
async function* hesitant({ length = HESITANT_BYTES, chunks }: RequestBody): AsyncGenerator<Uint8Array> {
  let turns = length >= HESITANT_BYTES ? HESITATION_TURNS : 0
  for await (const chunk of chunks()) {
    yield chunk
    for (; turns > 0; turns -= 1) await nextTurn()
  }
}

/** The general code of its class (RFC 9110 15): which redirect it was, `fetch` does not tell. */
const SOME_REDIRECT = 300

/** @throws what `fetch` throws of all but a redirect that it was not to follow */
async function fetchUnfollowed(fetch: FetchLike, sent: Request): Promise<Response> {
  try {
    return await fetch(sent)
  } catch (error) {
    const { cause } = Object(error)
    if (sent.redirect !== 'error' || Object(cause).message !== 'unexpected redirect') throw error
    return new Response(null, { status: SOME_REDIRECT })
  }
}

function toResponse(response: Response, request: TransportRequest, watch: ProgressWatch): TransportResponse {
  watch.moved()
  // What `fetch` hands over is decoded already.
  const { 'content-encoding': _, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: readable(response, request, watch) }
}

async function* readable(
  response: Response,
  request: TransportRequest,
  watch: ProgressWatch,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const { done, value } = reader ? await orAborted(reader.read(), watch.signal) : { done: true, value: undefined }
      if (done || value === undefined) return
      watch.moved()
      yield value
    }
  } catch (error) {
    throw failure(error, request, watch)
  } finally {
    watch.stop()
    reader?.cancel().catch(() => {})
  }
}

function failure(error: unknown, request: TransportRequest, watch: ProgressWatch): unknown {
  return exchangeError(watch.signal.aborted ? watch.signal.reason : error, request.signal)
}
