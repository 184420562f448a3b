import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions, objectWith } from '../../checks/options.ts'
import { orAborted } from '../../system/signals.ts'
import { Connection, type ConnectionOptions, connectionChecks } from './open-connection.ts'
import { ProgressWatch, received, watched } from './progress-watch.ts'
import { type ProxyOf, proxyChoice, proxyRefusal, type Route, targetOf } from './proxy.ts'
import { SchemeProbe } from './scheme-probe.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'
import { defaultIdleTimeoutMs, isEndedByClose, receivedHeaders, sentHeaders } from './transport.ts'
import { cutError } from './transport-failure.ts'

export interface UndiciTransportOptions extends ConnectionOptions {
  /** What sends every request, such as an Agent of yours: with its own connections, proxies and certificates. */
  readonly dispatcher?: Pick<Dispatcher, 'request'> | undefined
}

/** What sends a request of undici; without a client, the caller's own. */
interface Sender {
  readonly dispatcher: Pick<Dispatcher, 'request'>
  readonly client?: Client
  /** The one in use. */
  connection?: Connection
}

/**
 * The default transport. It follows no redirects. A connection serves one request after the other, but a request with a body
 * gets its own, because a reused one that breaks leaves open whether the body arrived; an abort resets it.
 *
 * @throws TypeError for an unknown option, by the nearest name, and if the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const dispatcher = objectWith(['request'], 'a dispatcher of undici, such as new Agent()')
  checkOptions('undiciTransport', options, { ...connectionChecks, dispatcher })
  if (options.dispatcher === undefined) return new UndiciTransport(proxyChoice(options), options)
  if ((options.proxy ?? options.ca) === undefined) return new UndiciTransport(() => undefined, options)
  throw invalidValue(
    'A dispatcher has proxies and certificates of its own: give undiciTransport either it, or proxy and ca',
  )
}

class UndiciTransport implements Transport {
  readonly #proxyOf: ProxyOf
  readonly #options: UndiciTransportOptions
  readonly #schemes = new SchemeProbe()
  /** Those that serve no request for now, by where they lead. */
  #idle = new Map<string, Sender[]>()

  constructor(proxyOf: ProxyOf, options: UndiciTransportOptions) {
    this.#proxyOf = proxyOf
    this.#options = options
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { body, signal } = request
    const url = new URL(request.url)
    const route = { url, proxy: this.#proxyOf(url) }
    const place = `${route.proxy?.url} ${url.origin}`
    const idle = this.#idle
    // Before the watch begins: loading undici takes time, and the other side is not silent meanwhile.
    const sender = (!body && idle.get(place)?.pop()) || (await this.#senderTo(route))
    const watch = new ProgressWatch(this.#options.idleTimeoutMs ?? defaultIdleTimeoutMs, signal)
    watch.signal.addEventListener('abort', () => sender.connection?.reset(), { once: true })
    const over = () => {
      watch.stop()
      if (body || watch.signal.aborted || idle !== this.#idle) sender.client?.destroy().catch(() => {})
      else if (sender.client) idle.set(place, [...(idle.get(place) ?? []), sender])
    }
    try {
      watch.signal.throwIfAborted()
      const sending = sender.dispatcher.request(toRequest(request, route, watch, sender))
      const { statusCode: status, headers, body: answer } = await orAborted(sending, watch.signal)
      watch.moved()
      const refusal = proxyRefusal(status, route)
      if (refusal !== undefined) {
        answer.on('error', () => {}).destroy()
        throw refusal
      }
      this.#schemes.answered(url)
      const isCut = () => isEndedByClose(headers) && sender.connection?.isCut === true
      return { status, headers: receivedHeaders(headers), body: received(whole(answer, isCut), watch, over) }
    } catch (error) {
      over()
      throw await this.#schemes.explain(watch.failure(error), route, { signal, isBegun: body !== undefined })
    }
  }

  async close(): Promise<void> {
    const senders = [...this.#idle.values()].flat()
    this.#idle = new Map()
    await Promise.all(senders.map(({ client }) => client?.destroy()))
  }

  async #senderTo(route: Route): Promise<Sender> {
    const { dispatcher } = this.#options
    if (dispatcher) return { dispatcher }
    // The heaviest import. By its file, because Bun has another module of the same name, without connections. Bundled
    // CommonJS has a default export only.
    const undici = (await import('undici/index.js')).default
    // Fails with this library's errors only: after some errors of its own, undici connects again without end.
    const connect = (_: unknown, onOpen: (...opened: [Error, null] | [null, Socket]) => void) => {
      sender.connection = new Connection(route, this.#options)
      sender.connection.ready.then(
        (socket) => onOpen(null, socket),
        (error) => onOpen(error, null),
      )
    }
    // The watch over each exchange replaces undici's timeouts, which are exact to a second only.
    const client = new undici.Client(route.url.origin, { headersTimeout: 0, bodyTimeout: 0, connect })
    const sender: Sender = { dispatcher: client.compose(readingOn), client }
    return sender
  }
}

function toRequest(request: TransportRequest, route: Route, watch: ProgressWatch, { client }: Sender) {
  const { method, body } = request
  const { path, headers } = targetOf(route)
  return {
    origin: route.url.origin,
    path,
    method: method as Dispatcher.HttpMethod,
    headers: { ...sentHeaders(request), ...headers },
    body: (body ? watched(body.chunks(), watch) : null) as unknown as Dispatcher.DispatchOptions['body'] & object,
    // Of ours, the connection is reset: undici would only close it.
    ...(client === undefined && { signal: watch.signal }),
  }
}

/** undici takes an answer for cut whose connection ends while it is paused, though only its end is unread. */
const readingOn: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  let left = Number.NaN
  return dispatch(options, {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onResponseStart(controller, status, headers, text) {
      left = Number(headers['content-length'] ?? Number.NaN)
      handler.onResponseStart?.(controller, status, headers, text)
    },
    onResponseData(controller, chunk) {
      handler.onResponseData?.(controller, chunk)
      left -= chunk.length
      if (left === 0) controller.resume()
    },
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  })
}

/** undici takes the end of a connection for that of an answer without a length, though it was reset. */
async function* whole(body: AsyncIterable<Uint8Array>, isCut: () => boolean): AsyncGenerator<Uint8Array> {
  yield* body
  if (isCut()) throw cutError()
}
