import type { HttpHandler } from './exchange.ts'

/** Every request that comes in without a socket comes from this machine. */
const ownAddress = '127.0.0.1'

/** The handler as a fetch function, for whoever is in the same process. */
export function toFetch(handle: HttpHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    request.signal.throwIfAborted()
    const { origin, pathname, search } = new URL(request.url)
    try {
      const { status, headers, body } = await handle({
        method: request.method,
        url: pathname + search,
        origin,
        headers: Object.fromEntries(request.headers),
        clientIp: ownAddress,
        body: bodyOf(request),
        signal: request.signal,
      })
      return new Response(body, { status, headers })
    } catch (error) {
      request.signal.throwIfAborted()
      throw error
    }
  }
}

/** The body chunk by chunk; an abort ends it even while its source is silent. */
async function* bodyOf({ body, signal }: Request): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  const stop = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
