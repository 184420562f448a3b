import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { invalidValue } from '../../checks/coded-error.ts'
import { checkOptions, objectWith } from '../../checks/options.ts'
import { orAborted } from '../../system/signals.ts'
import { type Connection, type ConnectionOptions, connectionChecks, openConnection } from './open-connection.ts'
import { received, watched, watchProgress } from './progress-watch.ts'
import { proxyChoice } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import { defaultIdleTimeoutMs, isEndedByClose, receivedHeaders, sentHeaders, type Transport } from './transport.ts'
import { cutError } from './transport-failure.ts'
import { proxyRefusal, type Route, targetOf } from './tunnel.ts'

export interface UndiciTransportOptions extends ConnectionOptions {
  /** What sends every request, such as an Agent of yours: with its own connections, proxies and certificates. */
  readonly dispatcher?: Pick<Dispatcher, 'request'> | undefined
}

/** What sends a request of undici, and the connection of its own that it then uses. */
interface Sender {
  readonly dispatcher: Pick<Dispatcher, 'request'>
  readonly connection?: () => Connection | undefined
  readonly client?: Client
}

type OnOpen = (...opened: [Error, null] | [null, Socket]) => void

/**
 * The default transport. It follows no redirects. A connection serves one request after the other, but a request with a body
 * gets its own, because a reused one that breaks leaves open whether the body arrived; an abort resets it.
 *
 * @throws TypeError for an unknown option, by the nearest name, and if the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const dispatcherCheck = objectWith(['request'], 'a dispatcher of undici, such as new Agent()')
  checkOptions('undiciTransport', options, { ...connectionChecks, dispatcher: dispatcherCheck })
  const { idleTimeoutMs = defaultIdleTimeoutMs, ca, dispatcher } = options
  if (dispatcher && (options.proxy ?? ca) !== undefined) {
    throw invalidValue(
      'A dispatcher has proxies and certificates of its own: give undiciTransport either it, or proxy and ca',
    )
  }
  const proxyOf = dispatcher ? () => undefined : proxyChoice(options)
  const schemes = createSchemeProbe()
  /** Those that serve no request for now, by where they lead. */
  let idle = new Map<string, Sender[]>()

  async function senderTo({ url, proxy }: Route): Promise<Sender> {
    if (dispatcher) return { dispatcher }
    // The heaviest import. By its file, because Bun has another module of the same name, without connections. Bundled
    // CommonJS has a default export only.
    const undici = (await import('undici/index.js')).default
    let connection: Connection | undefined
    // Fails with this library's errors only: after some errors of its own, undici connects again without end.
    const connect = (_: unknown, onOpen: OnOpen) => {
      connection = openConnection({ url, proxy, ca, idleTimeoutMs, onFirstByte: (byte) => schemes.heard(url, byte) })
      connection.ready.then(
        (socket) => onOpen(null, socket),
        (error) => onOpen(error, null),
      )
    }
    // The watch over each exchange replaces undici's timeouts, which are exact to a second only.
    const client = new undici.Client(url.origin, { headersTimeout: 0, bodyTimeout: 0, connect })
    return { dispatcher: client.compose(readingOn), client, connection: () => connection }
  }

  return {
    async send(request) {
      const { method, body, signal } = request
      const url = new URL(request.url)
      const route = { url, proxy: proxyOf(url) }
      const waiting = idle
      const place = `${route.proxy?.url} ${url.origin}`
      // Before the watch begins: loading undici takes time, and the other side is not silent meanwhile.
      const sender = (body === undefined && waiting.get(place)?.pop()) || (await senderTo(route))
      const { connection, client } = sender
      const watch = watchProgress(idleTimeoutMs, signal)
      const over = () => {
        watch.stop()
        if (client === undefined) return
        if (watch.signal.aborted) connection?.()?.reset()
        const mayServe = body === undefined && !watch.signal.aborted && waiting === idle
        if (mayServe) waiting.set(place, [...(waiting.get(place) ?? []), sender])
        else client.destroy().catch(() => {})
      }
      try {
        watch.signal.throwIfAborted()
        const target = targetOf(route)
        const sending = sender.dispatcher.request({
          origin: url.origin,
          path: target.path,
          method: method as Dispatcher.HttpMethod,
          headers: { ...sentHeaders(request), ...target.headers },
          body: body
            ? ((watched(body.chunks(), watch) as unknown as Dispatcher.DispatchOptions['body']) ?? null)
            : null,
          // undici would only close the connection, and destroy what has come of an answer.
          ...(client === undefined && { signal: watch.signal }),
        })
        const { statusCode: status, headers, body: answer } = await orAborted(sending, watch.signal)
        watch.moved()
        const refusal = proxyRefusal(status, route)
        if (refusal !== undefined) {
          answer.on('error', () => {}).destroy()
          throw refusal
        }
        schemes.answered(url)
        const isCut = () => isEndedByClose(headers) && connection?.()?.isCut() === true
        return { status, headers: receivedHeaders(headers), body: received(whole(answer, isCut), watch, over) }
      } catch (error) {
        over()
        throw await schemes.explain(watch.failure(error), route, { signal, isBegun: body !== undefined })
      }
    },
    async close() {
      const senders = [...idle.values()].flat()
      idle = new Map()
      await Promise.all(senders.map(({ client }) => client?.destroy()))
    },
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
