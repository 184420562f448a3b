import { systemClock } from '../../clock.ts'
import { orAborted } from '../abortable.ts'
import { type ProgressWatch, watched, watchProgress } from './progress-watch.ts'
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
 * A transport over a `fetch` function. Redirects are handed back, not followed. What `fetch` does with its connections
 * is its own: an unasked `100 Continue` breaks Node's, and an upload that is given up may still arrive.
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
        return toResponse(await orAborted(fetch(sent), watch.signal), request, watch)
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

/** The body is a stream whatever its size: `fetch` sends one that it could repeat a second time after some answers. */
function toRequest(request: TransportRequest, watch: ProgressWatch): Request {
  const { method, url, body } = request
  const init = { method, headers: sentHeaders(request), redirect: 'manual', signal: watch.signal } as const
  if (!body) return new Request(url, init)
  const stream = ReadableStream.from(watched(hesitant(body), watch))
  return new Request(url, { ...init, body: stream, duplex: 'half' } as RequestInit)
}

/** A body below this is sent in one go. */
const LARGE_BYTES = 65_536
const HESITATION_MS = 50

/**
 * A server that refuses by the headers alone, and closes at once, has its answer lost when more is sent to it: `fetch`
 * throws away what it has not read when a write fails. So a large body stops for a moment after its first chunk.
 */
async function* hesitant({ length = LARGE_BYTES, chunks }: RequestBody): AsyncGenerator<Uint8Array> {
  let isFirst = length >= LARGE_BYTES
  for await (const chunk of chunks()) {
    yield chunk
    if (isFirst) await systemClock.sleep(HESITATION_MS)
    isFirst = false
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
