import type { Dispatcher } from 'undici'
import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { orAborted } from '../../system/signals.ts'
import { openConnection } from './open-connection.ts'
import { type ProgressWatch, received, watched, watchProgress } from './progress-watch.ts'
import { type ProxyOptions, proxyChecks, proxyChoice } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import {
  defaultIdleTimeoutMs,
  receivedHeaders,
  sentHeaders,
  type Transport,
  type TransportRequest,
} from './transport.ts'
import { cutError, idleTimeoutCheck } from './transport-failure.ts'
import { proxyRefusal, type Route, targetOf } from './tunnel.ts'
import { type AnswerEnd, type Dispatching, openClient, openPool } from './undici-dispatchers.ts'

export interface UndiciTransportOptions extends ProxyOptions {
  /** How long no byte may move in either direction; a slow transfer is never cut. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
}

const optionChecks: OptionChecks<UndiciTransportOptions> = {
  idleTimeoutMs: idleTimeoutCheck,
  ca: aText,
  ...proxyChecks,
}

/**
 * The default transport. It follows no redirects. A request with a body gets its own connection, because a reused one that
 * breaks leaves open whether the body arrived; an abort resets it. undici cannot read an unrequested `100 Continue`: such
 * an exchange fails for good, and only {@link nodeTransport} reads it.
 *
 * @throws TypeError for an unknown option, by the nearest name, and if the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  checkOptions('undiciTransport', options, optionChecks)
  const { idleTimeoutMs = defaultIdleTimeoutMs, ca } = options
  const proxyOf = proxyChoice(options)
  const pools = new Map<string, Promise<Dispatching & { close(): Promise<void> }>>()
  const schemes = createSchemeProbe()

  function dispatchingTo({ url, proxy }: Route, hasBody: boolean): Promise<Dispatching> {
    const onFirstByte = (byte: number) => schemes.heard(url, byte)
    const open = () => openConnection({ url, proxy, ca, idleTimeoutMs, onFirstByte })
    if (hasBody) return openClient(url, open)
    const id = `${proxy?.url} ${url.origin}`
    const pool = pools.get(id) ?? openPool(url, open)
    pools.set(id, pool)
    return pool
  }

  return {
    async send(request) {
      const url = new URL(request.url)
      const route = { url, proxy: proxyOf(url) }
      // Before the watch begins: loading undici takes time, and the other side is not silent meanwhile.
      const dispatching = await dispatchingTo(route, request.body !== undefined)
      const watch = watchProgress(idleTimeoutMs, request.signal)
      let end = (_isAborted: boolean) => {}
      const over = () => {
        watch.stop()
        end(watch.signal.aborted)
      }
      try {
        watch.signal.throwIfAborted()
        end = dispatching.begin()
        const opaque: AnswerEnd = { isCut: false }
        const sent = { ...toRequest(request, route, watch), opaque }
        const { statusCode, headers, body } = await orAborted(dispatching.dispatcher.request(sent), watch.signal)
        watch.moved()
        const refusal = proxyRefusal(statusCode, route)
        if (refusal !== undefined) {
          body.on('error', () => {}).destroy()
          throw refusal
        }
        schemes.answered(url)
        return {
          status: statusCode,
          headers: receivedHeaders(headers),
          body: received(whole(body, opaque), watch, over),
        }
      } catch (error) {
        over()
        const failure = watch.failure(error)
        // Through a proxy, the probe would ask another port.
        throw route.proxy === undefined ? await schemes.explain(failure, request, request.body !== undefined) : failure
      }
    },
    async close() {
      const open = await Promise.all(pools.values())
      pools.clear()
      await Promise.all(open.map((pool) => pool.close()))
    },
  }
}

async function* whole(body: AsyncIterable<Uint8Array>, end: AnswerEnd): AsyncGenerator<Uint8Array> {
  yield* body
  if (end.isCut) throw cutError()
}

function toRequest(request: TransportRequest, route: Route, watch: ProgressWatch): Dispatcher.RequestOptions {
  const { method, body } = request
  const { path, headers } = targetOf(route)
  return {
    origin: route.url.origin,
    path,
    method: method as Dispatcher.HttpMethod,
    headers: { ...sentHeaders(request), ...headers },
    // An abort of a request with a body resets its connection; undici would only close it.
    ...(body
      ? { body: watched(body.chunks(), watch) as unknown as Dispatcher.DispatchOptions['body'] & object }
      : { signal: watch.signal }),
  }
}
