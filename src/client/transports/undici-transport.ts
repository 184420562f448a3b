import type { Dispatcher } from 'undici'
import { aSecret, checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText, aWordOf, either, kindBy } from '../../checks/values.ts'
import type { Environment } from '../../system/environment.ts'
import { orAborted } from '../../system/signals.ts'
import { openConnection } from './open-connection.ts'
import { type ProgressWatch, received, watched, watchProgress } from './progress-watch.ts'
import { type NamedProxy, parseProxy, proxyFromEnvironment } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import {
  defaultIdleTimeoutMs,
  receivedHeaders,
  sentHeaders,
  type Transport,
  type TransportRequest,
} from './transport.ts'
import { cutError, idleTimeoutCheck, ThroughProxyError } from './transport-failure.ts'
import { NEEDS_USER, proxyAuthorization, userMissing } from './tunnel.ts'
import { type AnswerEnd, type Dispatching, openClient, openPool } from './undici-dispatchers.ts'

export interface UndiciTransportOptions {
  /** How long no byte may move in either direction; a slow transfer is never cut. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number | undefined
  /** A proxy for every request, or `false` for none. Default: by the environment's proxy variables. */
  readonly proxy?: string | false | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
  /** The proxy variables. Default: the process's environment. */
  readonly env?: Environment | undefined
}

const optionChecks: OptionChecks<UndiciTransportOptions> = {
  idleTimeoutMs: idleTimeoutCheck,
  proxy: either('the address of an HTTP proxy, or false', aWordOf([false]), aSecret),
  ca: aText,
  env: kindBy('an object of variables', (value) => typeof value === 'object' && value !== null),
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
  const { env = process.env, proxy } = options
  if (proxy === undefined) return transportThrough((url) => proxyFromEnvironment(url, env), options)
  const given = proxy ? { url: parseProxy(proxy) } : undefined
  return transportThrough(() => given, options)
}

/**
 * {@link undiciTransport} through the proxies that a function gives.
 * @param proxyOf undefined to reach a URL directly
 */
export function transportThrough(
  proxyOf: (url: URL) => NamedProxy | undefined,
  { idleTimeoutMs = defaultIdleTimeoutMs, ca }: Pick<UndiciTransportOptions, 'idleTimeoutMs' | 'ca'>,
): Transport {
  const pools = new Map<string, Promise<Dispatching & { close(): Promise<void> }>>()
  const schemes = createSchemeProbe()

  function dispatchingTo(url: URL, hasBody: boolean): Promise<Dispatching> {
    const proxy = proxyOf(url)
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
      // Before the watch begins: loading undici takes time, and the other side is not silent meanwhile.
      const dispatching = await dispatchingTo(url, request.body !== undefined)
      const watch = watchProgress(idleTimeoutMs, request.signal)
      let end = (_isAborted: boolean) => {}
      const over = () => {
        watch.stop()
        end(watch.signal.aborted)
      }
      try {
        watch.signal.throwIfAborted()
        end = dispatching.begin()
        const plainProxy = url.protocol === 'http:' ? proxyOf(url) : undefined
        const opaque: AnswerEnd = { isCut: false }
        const sent = { ...toRequest(request, url, plainProxy?.url, watch), opaque }
        const { statusCode, headers, body } = await orAborted(dispatching.dispatcher.request(sent), watch.signal)
        watch.moved()
        if (plainProxy !== undefined && statusCode === NEEDS_USER) {
          body.on('error', () => {}).destroy()
          throw new ThroughProxyError(userMissing(), plainProxy)
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
        throw proxyOf(url) === undefined ? await schemes.explain(failure, request, request.body !== undefined) : failure
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

function toRequest(
  request: TransportRequest,
  url: URL,
  plainProxy: string | undefined,
  watch: ProgressWatch,
): Dispatcher.RequestOptions {
  const { method, body } = request
  return {
    origin: url.origin,
    // A proxy without a tunnel needs the whole URL.
    path: plainProxy === undefined ? `${url.pathname}${url.search}` : `${url.origin}${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { ...sentHeaders(request), ...(plainProxy !== undefined && proxyAuthorization(new URL(plainProxy))) },
    // An abort of a request with a body resets its connection; undici would only close it.
    ...(body
      ? { body: watched(body.chunks(), watch) as unknown as Dispatcher.DispatchOptions['body'] & object }
      : { signal: watch.signal }),
  }
}
