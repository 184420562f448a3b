import { systemClock } from '../clock.ts'
import {
  defaultIdleTimeoutMs,
  type RequestBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { toTransportError } from './transport-failure.ts'

/** Anything that answers a Request as `fetch` does: the global one, one patched by MSW, an in-process emulator's. */
export type FetchLike = (request: Request) => Promise<Response>

/** Bodies up to this size are handed to `fetch` whole, so that it sends their exact Content-Length. */
const HELD_BODY_BYTES = 1_048_576

/** A transport over a `fetch` function. Redirects are handed back, not followed. */
export function fetchTransport(fetch: FetchLike, options: { readonly idleTimeoutMs?: number } = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs } = options
  return {
    async send(request) {
      const watch = watchProgress(idleTimeoutMs, request.signal)
      try {
        const response = await fetch(await toRequest(request, watch))
        watch.moved()
        return toResponse(response, request, watch)
      } catch (error) {
        watch.stop()
        throw failure(error, request, watch)
      }
    },
  }
}

interface ProgressWatch {
  /** Aborts when the caller aborts or nothing has moved for too long. */
  readonly signal: AbortSignal
  moved(): void
  stop(): void
}

/** `fetch` has no timeout of its own; this one ends an exchange only when nothing moves any more. */
function watchProgress(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): ProgressWatch {
  const idle = new AbortController()
  const stopped = new AbortController()
  let lastMoveAt = systemClock.now()
  const watch = async () => {
    for (let left = idleTimeoutMs; left > 0; left = lastMoveAt + idleTimeoutMs - systemClock.now()) {
      await systemClock.sleep(left, stopped.signal)
    }
    idle.abort(new TransportError('timeout', `nothing moved for ${idleTimeoutMs / 1_000} s`))
  }
  watch().catch(() => {})
  return {
    signal: callerSignal ? AbortSignal.any([callerSignal, idle.signal]) : idle.signal,
    moved: () => {
      lastMoveAt = systemClock.now()
    },
    stop: () => stopped.abort(),
  }
}

async function toRequest({ method, url, headers, body }: TransportRequest, watch: ProgressWatch): Promise<Request> {
  const contentType = body && { 'content-type': body.contentType }
  const init = { method, headers: { ...headers, ...contentType }, redirect: 'manual', signal: watch.signal } as const
  if (!body) return new Request(url, init)
  if (body.length !== undefined && body.length <= HELD_BODY_BYTES) {
    const chunks: Uint8Array<ArrayBuffer>[] = []
    for await (const chunk of watched(body, watch)) chunks.push(chunk)
    return new Request(url, { ...init, body: new Blob(chunks) })
  }
  const contentLength = body.length === undefined ? {} : { 'content-length': String(body.length) }
  const stream = ReadableStream.from(watched(body, watch))
  return new Request(url, {
    ...init,
    headers: { ...init.headers, ...contentLength },
    body: stream,
    duplex: 'half',
  } as RequestInit)
}

async function* watched(body: RequestBody, watch: ProgressWatch): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of body.chunks()) {
    watch.moved()
    yield chunk as Uint8Array<ArrayBuffer>
  }
}

function toResponse(response: Response, request: TransportRequest, watch: ProgressWatch): TransportResponse {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: readable(response, request, watch),
  }
}

async function* readable(
  response: Response,
  request: TransportRequest,
  watch: ProgressWatch,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      watch.moved()
      yield chunk
    }
  } catch (error) {
    throw failure(error, request, watch)
  } finally {
    watch.stop()
  }
}

function failure(error: unknown, request: TransportRequest, watch: ProgressWatch): unknown {
  if (request.signal?.aborted) return request.signal.reason
  return toTransportError(watch.signal.aborted ? watch.signal.reason : error)
}
