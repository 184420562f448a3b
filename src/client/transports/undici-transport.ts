import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { abortable, orAborted } from '../../system/abortable.ts'
import { type Connection, openConnection } from './connection.ts'
import { type ProgressWatch, watched, watchProgress } from './progress-watch.ts'
import { type Environment, parseProxy, proxyFromEnvironment } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import { defaultIdleTimeoutMs, type Transport, type TransportRequest } from './transport.ts'
import { exchangeError } from './transport-failure.ts'
import { proxyAuthorization } from './tunnel.ts'
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

/** A dispatcher for one exchange. */
interface Way {
  readonly dispatcher: Dispatcher
  /** The exchange has begun. @returns what ends it: given up, nothing that is still here of it leaves later */
  begin(): (isGivenUp: boolean) => void
}

/**
 * The default transport. Follows no redirect; a request with a body gets a connection of its own, because a reused one
 * that breaks leaves open whether the body arrived. It is reset where the request is given up. undici cannot read a
 * `100 Continue` that was not asked for: such an exchange fails for good; {@link nodeTransport} reads it.
 *
 * @throws TypeError where the given proxy cannot be used
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs, env = process.env, ca } = options
  const proxy = options.proxy ? parseProxy(options.proxy) : options.proxy
  const pools = new Map<string, Promise<Way & { close(): Promise<void> }>>()
  const schemes = createSchemeProbe()

  const proxyOf = (url: URL) => (proxy === undefined ? proxyFromEnvironment(url, env) : proxy || undefined)

  function wayTo(url: URL, hasBody: boolean): Promise<Way> {
    const uri = proxyOf(url)
    const onFirstByte = (byte: number) => schemes.heard(url, byte)
    const open = () => openConnection({ url, proxy: uri, ca, idleTimeoutMs, onFirstByte })
    if (hasBody) return openClient(url, open)
    const id = `${uri} ${url.origin}`
    const pool = pools.get(id) ?? openPool(url, open)
    pools.set(id, pool)
    return pool
  }

  return {
    async send(request) {
      const url = new URL(request.url)
      // Before the watch begins: the time it takes to load undici is no silence of the other side.
      const way = await wayTo(url, request.body !== undefined)
      const watch = watchProgress(idleTimeoutMs, request.signal)
      let end = (_isGivenUp: boolean) => {}
      const over = () => {
        watch.stop()
        end(watch.signal.aborted)
      }
      const failure = (error: unknown) =>
        exchangeError(watch.signal.aborted ? watch.signal.reason : error, request.signal)
      try {
        watch.signal.throwIfAborted()
        end = way.begin()
        const uri = url.protocol === 'http:' ? proxyOf(url) : undefined
        const sent = toRequest(request, url, uri, watch)
        const { statusCode, headers, body } = await orAborted(way.dispatcher.request(sent), watch.signal)
        watch.moved()
        schemes.answered(url)
        return { status: statusCode, headers: receivedHeaders(headers), body: readable(body, watch, failure, over) }
      } catch (error) {
        over()
        const told = failure(error)
        throw request.signal?.aborted ? told : await explain(told, request)
      }
    },
    async close() {
      const open = await Promise.all(pools.values())
      pools.clear()
      await Promise.all(open.map((pool) => pool.close()))
    },
  }

  async function explain(error: unknown, { url, body, signal }: TransportRequest): Promise<unknown> {
    const asked = new URL(url)
    if (proxyOf(asked) !== undefined) return error
    return await schemes.explain(error, asked, { isBodyBegun: body !== undefined, signal })
  }
}

/** undici tells time by the second; the watch over each exchange is exact, and ends what undici holds up as well. */
const untimed = { headersTimeout: 0, bodyTimeout: 0 }

/**
 * Loaded with the first request: undici is the heaviest thing this library imports. Bundled, a CommonJS package has a
 * default export only.
 */
async function load() {
  return (await import('undici')).default
}

type Tell = (...opened: [Error, null] | [null, Socket]) => void

/** Every failure of what it opens is one of our own: after some of undici's own it connects again, for ever. */
function connector(open: () => Connection) {
  return (_: unknown, tell: Tell) => {
    open().ready.then(
      (socket) => tell(null, socket),
      (error) => tell(error, null),
    )
  }
}

/** One connection for one exchange. */
async function openClient({ origin }: URL, open: () => Connection): Promise<Way> {
  const { Client } = await load()
  let connection: Connection | undefined
  const connect = connector(() => {
    connection = open()
    return connection
  })
  const client = new Client(origin, { ...untimed, connect })
  const begin = () => (isGivenUp: boolean) => {
    if (isGivenUp) connection?.reset()
    client.destroy().catch(() => {})
  }
  return { dispatcher: client, begin }
}

/** Connections that are kept for the exchanges to come. */
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
        // What is still being opened is for no other exchange, and would keep the process.
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
    // A proxy without a tunnel is told where the request is to go.
    path: plainProxy === undefined ? `${url.pathname}${url.search}` : `${url.origin}${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: { ...sentHeaders(request), ...(plainProxy !== undefined && proxyAuthorization(new URL(plainProxy))) },
    // One with a body is given up by a reset of its connection, which undici would only close.
    ...(body
      ? { body: watched(body.chunks(), watch) as unknown as Dispatcher.DispatchOptions['body'] & object }
      : { signal: watch.signal }),
  }
}

async function* readable(
  body: AsyncIterable<Uint8Array>,
  watch: ProgressWatch,
  failure: (error: unknown) => unknown,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of abortable(body, watch.signal)) {
      watch.moved()
      yield chunk
    }
  } catch (error) {
    throw failure(error)
  } finally {
    over()
  }
}
