import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions, objectWith } from '../../checks/options.ts'
import { Connection, type ConnectionOptions, connectionChecks, proxyChoice, targetOf } from './open-connection.ts'
import {
  bodyError,
  defaultIdleTimeoutMs,
  exchangeError,
  type RequestBody,
  receivedHeaders,
  sentHeaders,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'

export interface UndiciTransportOptions extends ConnectionOptions {
  /** What sends every request, such as an Agent of yours: with its own connections, proxies and certificates. */
  readonly dispatcher?: Pick<Dispatcher, 'request'> | undefined
}

/**
 * The default transport. It follows no redirects. A connection serves one request after the other, but a request with a body
 * gets its own, because a reused one that breaks leaves open whether the body arrived; an abort resets it.
 *
 * @throws TypeError for an unknown option, and if the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const { dispatcher } = options
  const aDispatcher = objectWith(['request'], 'a dispatcher of undici, such as new Agent()')
  checkOptions('undiciTransport', options, { ...connectionChecks, dispatcher: aDispatcher })
  if (dispatcher && (options.proxy ?? options.ca) !== undefined) {
    throw invalidValue(
      'A dispatcher has proxies and certificates of its own: give undiciTransport either it, or proxy and ca',
    )
  }
  const proxyOf = dispatcher ? () => undefined : proxyChoice(options)
  let agent: Agent | undefined

  const connect: buildConnector.connector = ({ protocol, host }, onOpen) => {
    const url = new URL(`${protocol}//${host}`)
    // Fails with this library's errors only: after some errors of its own, undici connects again without end.
    new Connection({ url, proxy: proxyOf(url) }, options).ready.then(
      (socket) => onOpen(null, socket),
      (error) => onOpen(error, null),
    )
  }

  async function send(request: TransportRequest): Promise<TransportResponse> {
    if (dispatcher) return await exchange(dispatcher, request)
    // The heaviest import. By its file, because Bun has another module of the same name, without connections. Bundled
    // CommonJS has a default export only.
    const { Agent, Client } = (await import('undici/index.js')).default
    if (request.body === undefined) {
      agent ??= new Agent({ connect })
      return await exchange(agent, request)
    }
    const client = new Client(new URL(request.url).origin, { connect })
    return await exchange(client, request, () => void client.close().catch(() => {}))
  }

  async function exchange(sends: Pick<Dispatcher, 'request'>, request: TransportRequest, over = () => {}) {
    const { method, body, signal } = request
    const { idleTimeoutMs = defaultIdleTimeoutMs } = options
    const url = new URL(request.url)
    const target = targetOf({ url, proxy: proxyOf(url) })
    try {
      signal?.throwIfAborted()
      const response = await sends.request({
        origin: url.origin,
        path: target.path,
        method: method as Dispatcher.HttpMethod,
        headers: { ...sentHeaders(request), ...target.headers },
        body: body ? (inTurns(body) as unknown as Dispatcher.DispatchOptions['body'] & object) : null,
        headersTimeout: idleTimeoutMs,
        bodyTimeout: idleTimeoutMs,
        ...(signal && { signal }),
      })
      const [status, headers] = [response.statusCode, receivedHeaders(response.headers)]
      return { status, headers, body: received(response.body, signal, over) }
    } catch (error) {
      over()
      throw exchangeError(error, signal)
    }
  }

  async function close(): Promise<void> {
    // What is under way for another client ends first.
    agent?.close().catch(() => {})
    agent = undefined
  }
  return { send, close }
}

async function* received(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined, over: () => void) {
  try {
    yield* body
  } catch (error) {
    throw bodyError(error, signal)
  } finally {
    over()
  }
}

/** A fast connection takes chunk after chunk within one turn of the event loop, in which no early answer is heard. */
async function* inTurns({ chunks }: RequestBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks()) {
    await nextTurn()
    yield chunk
  }
}
