import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { aSecret, checkOptions, either, type OptionChecks, oneOfWords } from '../../checks/options.ts'
import { aText, kindBy } from '../../checks/values.ts'
import type { Environment } from '../../system/environment.ts'
import { abortable, orAborted } from '../../system/signals.ts'
import { type Connection, openConnection } from './open-connection.ts'
import { type ProgressWatch, watched, watchProgress } from './progress-watch.ts'
import { type NamedProxy, parseProxy, proxyFromEnvironment } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import {
  defaultIdleTimeoutMs,
  receivedHeaders,
  sentHeaders,
  type Transport,
  type TransportRequest,
} from './transport.ts'
import { idleTimeoutCheck } from './transport-failure.ts'
import { proxyAuthorization } from './tunnel.ts'

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
  proxy: either('the address of an HTTP proxy, or false', oneOfWords([false], ''), aSecret),
  ca: aText,
  env: kindBy('an object of variables', (value) => typeof value === 'object' && value !== null),
}

/** A dispatcher that an exchange may use. */
interface Dispatching {
  readonly dispatcher: Dispatcher
  /** Begins an exchange. @returns what ends it; an aborted one sends no further bytes */
  begin(): (isAborted: boolean) => void
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
        const uri = url.protocol === 'http:' ? proxyOf(url)?.url : undefined
        const sent = toRequest(request, url, uri, watch)
        const { statusCode, headers, body } = await orAborted(dispatching.dispatcher.request(sent), watch.signal)
        watch.moved()
        schemes.answered(url)
        return { status: statusCode, headers: receivedHeaders(headers), body: readable(body, watch, over) }
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

/** undici's timeouts are exact to a second only; the watch over each exchange replaces them. */
const untimed = { headersTimeout: 0, bodyTimeout: 0 }

/**
 * Loads undici with the first request, because it is the heaviest import. By its file, because Bun has another module of
 * the same name, without connections. Bundled CommonJS has a default export only.
 */
async function load() {
  return (await import('undici/index.js')).default
}

type OnOpen = (...opened: [Error, null] | [null, Socket]) => void

/** Fails with this library's errors only: after some errors of its own, undici connects again without end. */
function connector(open: () => Connection) {
  return (_: unknown, onOpen: OnOpen) => {
    open().ready.then(
      (socket) => onOpen(null, socket),
      (error) => onOpen(error, null),
    )
  }
}

/** A client with one connection, for one exchange. */
async function openClient({ origin }: URL, open: () => Connection): Promise<Dispatching> {
  const { Client } = await load()
  let connection: Connection | undefined
  const connect = connector(() => {
    connection = open()
    return connection
  })
  const client = new Client(origin, { ...untimed, connect })
  const begin = () => (isAborted: boolean) => {
    if (isAborted) connection?.reset()
    client.destroy().catch(() => {})
  }
  return { dispatcher: client, begin }
}

/** A pool of connections for many exchanges. */
async function openPool({ origin }: URL, open: () => Connection) {
  const { Pool } = await load()
  const opening = new Set<Connection>()
  let busy = 0
  const connect = connector(() => {
    const connection = open()
    opening.add(connection)
    const opened = () => opening.delete(connection)
    connection.ready.then(opened, opened)
    return connection
  })
  const pool = new Pool(origin, { ...untimed, connect })
  const resetOpening = () => {
    for (const connection of opening) connection.reset()
  }
  return {
    dispatcher: pool,
    begin() {
      busy += 1
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        busy -= 1
        // A connection that is still being opened would keep the process alive for nothing.
        if (busy === 0) resetOpening()
      }
    },
    async close() {
      resetOpening()
      await pool.destroy()
    },
  }
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

async function* readable(
  body: AsyncIterable<Uint8Array>,
  watch: ProgressWatch,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of abortable(body, watch.signal)) {
      watch.handed(true)
      yield chunk
      watch.handed(false)
    }
  } catch (error) {
    throw watch.failure(error)
  } finally {
    over()
  }
}
