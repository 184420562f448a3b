import { createTurnTaking } from '../../clock/next-turn.ts'
import { type HttpHandler, type ReplyBody, RequestAbortedError } from '../../http-types.ts'
import { ConnectionResetError } from '../request/request-body.ts'

const localAddress = '127.0.0.1'

/**
 * Turns the handler into a fetch function for callers in the same process. Without a connection to break, a reset
 * becomes what `fetch` reports: a TypeError whose cause has the code ECONNRESET, or a body that ends in a TypeError.
 *
 * @param cut aborts every request in progress
 */
export function toFetch(
  handle: HttpHandler,
  cut: AbortSignal = new AbortController().signal,
): (request: Request) => Promise<Response> {
  const takeTurn = createTurnTaking()
  return async (request) => {
    await takeTurn()
    request.signal.throwIfAborted()
    const { origin, pathname, search } = new URL(request.url)
    try {
      const { status, headers, body } = await handle({
        method: request.method,
        url: pathname + search,
        origin,
        headers: Object.fromEntries(request.headers),
        clientIp: localAddress,
        body: bodyOf(request, cut),
        clientGone: () => AbortSignal.any([request.signal, cut]),
      })
      return new Response(bodyInit(body, request.signal), { status, headers })
    } catch (error) {
      request.signal.throwIfAborted()
      if (isNotBytesError(error)) throw error.cause
      if (error instanceof RequestAbortedError && cut.aborted)
        throw new TypeError('fetch failed', { cause: cut.reason })
      throw error instanceof ConnectionResetError ? new TypeError('fetch failed', { cause: error }) : error
    }
  }
}

/** A body with something other than bytes; the message is that of the platform's fetch. */
class NotBytesError extends TypeError {}

function isNotBytesError(error: unknown): error is RequestAbortedError & { readonly cause: NotBytesError } {
  return error instanceof RequestAbortedError && error.cause instanceof NotBytesError
}

/** The body in chunks; an abort or a cut ends it even while its source sends nothing. */
async function* bodyOf({ body, signal }: Request, cut: AbortSignal): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  const stop = () => void reader.cancel(signal.reason ?? cut.reason).catch(() => {})
  const signals = [signal, cut]
  for (const ending of signals) ending.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      for (const ending of signals) ending.throwIfAborted()
      if (done) return
      if (!(value instanceof Uint8Array)) throw new NotBytesError('Received non-Uint8Array chunk')
      yield value
    }
  } finally {
    for (const ending of signals) ending.removeEventListener('abort', stop)
    stop()
  }
}

function bodyInit(
  body: ReplyBody,
  signal: AbortSignal,
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null {
  if (body === null || typeof body === 'string') return body
  return body instanceof Uint8Array ? Uint8Array.from(body) : streamOf(body, signal)
}

/** A stream that reads its source only on demand and closes it when the reader is done. */
function streamOf(source: AsyncIterable<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const finished = new AbortController()
  const close = async () => {
    finished.abort()
    await iterator.return?.()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        const stop = () => {
          stream.error(signal.reason)
          void close().catch(() => {})
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { signal: finished.signal })
      },
      async pull(stream) {
        const { done, value } = await iterator.next().catch((error: unknown) => {
          finished.abort()
          throw error instanceof ConnectionResetError ? new TypeError('terminated', { cause: error }) : error
        })
        if (done !== true) return stream.enqueue(value)
        finished.abort()
        stream.close()
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}
