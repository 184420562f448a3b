import type { Dispatcher } from 'undici'
import { type Environment, parseProxy, proxyFromEnvironment } from './proxy.ts'
import {
  defaultIdleTimeoutMs,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { exchangeError } from './transport-failure.ts'
import { receivedHeaders, sentHeaders } from './wire-headers.ts'

export interface UndiciTransportOptions {
  /** How long nothing may move in either direction; a slow transfer that moves is never cut. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number
  /** A proxy for every request, or `false` for none. Default: what the environment's proxy variables say. */
  readonly proxy?: string | false
  /** Certificate authorities in PEM to trust, in place of the system's. */
  readonly ca?: string
  /** Where proxy variables are read. Default: the process's environment. */
  readonly env?: Environment
}

/**
 * The default transport. Follows no redirect; a request with a body gets a connection of its own, because a reused one
 * that breaks leaves open whether the body arrived.
 *
 * @throws TypeError where the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs, env = process.env } = options
  const proxy = options.proxy ? parseProxy(options.proxy) : options.proxy
  const dispatchers = new Map<string, Dispatcher>()

  const proxyOf = (url: URL) => (proxy === undefined ? proxyFromEnvironment(url, env) : proxy || undefined)

  /**
   * Loaded with the first request: undici is the heaviest thing this library imports. Bundled, a CommonJS package has
   * a default export only.
   */
  async function dispatcherFor(url: URL, fresh: boolean): Promise<Dispatcher> {
    const { Agent, Pool, ProxyAgent } = (await import('undici')).default
    const uri = proxyOf(url)
    const id = `${uri ?? ''} ${url.protocol} ${fresh}`
    const known = dispatchers.get(id)
    if (known) return known
    const tls = options.ca === undefined ? {} : { ca: options.ca }
    const timeouts = { headersTimeout: idleTimeoutMs, bodyTimeout: idleTimeoutMs, pipelining: fresh ? 0 : 1 }
    const proxyTunnel = url.protocol === 'https:'
    // The agent passes its timeouts on neither to the client that asks for a tunnel nor to the one without a tunnel.
    const factory = (origin: URL | string, given: object) => new Pool(origin, { ...given, ...timeouts })
    const dispatcher = uri
      ? new ProxyAgent({
          ...timeouts,
          uri,
          requestTls: tls,
          proxyTls: tls,
          proxyTunnel,
          factory,
          clientFactory: factory,
        })
      : new Agent({ ...timeouts, connect: tls })
    dispatchers.set(id, dispatcher)
    return dispatcher
  }

  return {
    async send(request) {
      try {
        const url = new URL(request.url)
        const dispatcher = await dispatcherFor(url, request.body !== undefined)
        return await exchange(request, dispatcher)
      } catch (error) {
        throw behindProxy(exchangeError(error, request.signal), proxyOf(new URL(request.url)))
      }
    },
    async close() {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()))
      dispatchers.clear()
    },
  }
}

/** A proxy that cannot be reached must not pass for the service. */
function behindProxy(error: unknown, proxy: string | undefined): unknown {
  if (!(error instanceof TransportError) || proxy === undefined || error.mayHaveArrived) return error
  const { failure, permanent } = error
  return new TransportError(failure, `through the proxy ${new URL(proxy).host}: ${error.message}`, {
    cause: error,
    permanent,
  })
}

async function exchange(request: TransportRequest, dispatcher: Dispatcher): Promise<TransportResponse> {
  const { request: send } = (await import('undici')).default
  const { body, signal } = request
  const response = await send(request.url, {
    dispatcher,
    method: request.method as Dispatcher.HttpMethod,
    headers: sentHeaders(request),
    ...(body && { body: body.chunks() as unknown as Dispatcher.DispatchOptions['body'] & object }),
    ...(signal && { signal }),
  })
  return {
    status: response.statusCode,
    headers: receivedHeaders(response.headers),
    body: readable(response.body, signal),
  }
}

async function* readable(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw exchangeError(error, signal)
  }
}
