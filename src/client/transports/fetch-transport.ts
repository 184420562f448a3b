import { systemClock } from '../../clock.ts'
import { orAborted } from '../abortable.ts'
import {
  defaultIdleTimeoutMs,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { exchangeError, idleTimeoutError } from './transport-failure.ts'
import { sentHeaders } from './wire-headers.ts'

/** Anything that answers a Request as `fetch` does: the global one, one patched by MSW, an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/** A transport over a `fetch` function. Redirects are handed back, not followed. */
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

interface ProgressWatch {
  /** Aborts when the caller aborts or nothing has moved for too long. */
  readonly signal: AbortSignal
  moved(): void
  whenStopped(then: () => void): void
  stop(): void
}

/** `fetch` has no timeout of its own; this one ends an exchange only when nothing moves any more. */
function watchProgress(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): ProgressWatch {
  const idle = new AbortController()
  const stopped = new AbortController()
  const signal = callerSignal ? AbortSignal.any([callerSignal, idle.signal]) : idle.signal
  let lastMoveAt = systemClock.now()
  const watch = async () => {
    for (let left = idleTimeoutMs; left > 0; left = lastMoveAt + idleTimeoutMs - systemClock.now()) {
      await systemClock.sleep(left, stopped.signal)
    }
    idle.abort(idleTimeoutError(idleTimeoutMs))
  }
  watch().catch(() => {})
  return {
    signal,
    moved: () => {
      lastMoveAt = systemClock.now()
    },
    whenStopped: (then) => stopped.signal.addEventListener('abort', then, { once: true }),
    stop: () => stopped.abort(),
  }
}

/** The body is a stream whatever its size: `fetch` sends one that it could repeat a second time after some answers. */
function toRequest(request: TransportRequest, watch: ProgressWatch): Request {
  const { method, url, body } = request
  const init = { method, headers: sentHeaders(request), redirect: 'manual', signal: watch.signal } as const
  if (!body) return new Request(url, init)
  const stream = ReadableStream.from(watched(body, watch))
  return new Request(url, { ...init, body: stream, duplex: 'half' } as RequestInit)
}

async function* watched(body: RequestBody, watch: ProgressWatch): AsyncGenerator<Uint8Array> {
  for await (const chunk of body.chunks()) {
    watch.moved()
    yield chunk
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
