import { anySignal } from '../../../src/system/signals.ts'
import { createTurnTaking } from '../../clock/turn-taking.ts'
import { type HttpHandler, RequestAbortedError } from '../../http-types.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { NotBytesError } from './fetch-body.ts'
import { type FetchCall, readFetchCall } from './fetch-call.ts'
import { afterRedirect } from './fetch-redirect.ts'
import { toResponse } from './fetch-response.ts'

const localAddress = '127.0.0.1'

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
    await takeTurn()
    for (let call = first, hops = 0; ; hops += 1) {
      const reply = await send(handle, call, cut)
      const next = afterRedirect(call, reply, hops)
      if (next === undefined) return toResponse(reply, call, hops > 0)
      call = next
    }
  }
}

async function send(handle: HttpHandler, { method, url, headers, body, signal }: FetchCall, cut: AbortSignal) {
  signal?.throwIfAborted()
  const ends = signal === undefined ? [cut] : [signal, cut]
  try {
    return await handle({
      method,
      url: url.pathname + url.search,
      origin: url.origin,
      headers,
      clientIp: localAddress,
      body: body === undefined ? nothing : body.chunks(ends),
      clientGone: () => anySignal(ends),
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof RequestAbortedError)) {
      throw error instanceof ConnectionResetError ? new TypeError('fetch failed', { cause: error }) : error
    }
    if (cut.aborted) throw new TypeError('fetch failed', { cause: cut.reason })
    throw error.cause instanceof NotBytesError ? error.cause : new TypeError('fetch failed', { cause: error.cause })
  }
}

const nothing: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
}
