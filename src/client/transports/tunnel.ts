import { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { startTimer, systemClock } from '../../clock.ts'
import type { NamedProxy } from './proxy.ts'
import { TransportError } from './transport.ts'
import { ThroughProxyError, USER_MISSING } from './transport-failure.ts'

export interface TunnelRequest {
  /** The host and port behind the proxy. */
  readonly authority: string
  readonly proxy: URL
  /** How long the proxy may take to answer. */
  readonly longestMs: number
}

/**
 * Asks a proxy for a tunnel, on a connection to it; afterwards the connection is the tunnel.
 *
 * @throws TransportError if the proxy answers otherwise, or not in time
 */
export async function askForTunnel(socket: Socket, { authority, proxy, longestMs }: TunnelRequest): Promise<void> {
  let stop = () => {}
  const request = new ClientRequest({
    method: 'CONNECT',
    path: authority,
    // The connection stays open as the tunnel.
    headers: { host: authority, connection: 'keep-alive', ...proxyAuthorization(proxy) },
    createConnection: () => socket,
  })
  const answered = new Promise<void>((resolve, reject) => {
    request.once('connect', ({ statusCode = 0 }, _, rest: Buffer) => {
      const refusal = refusalOf(statusCode, rest)
      if (refusal === undefined) resolve()
      else reject(refusal)
    })
    const broken = (cause?: unknown) =>
      reject(new TransportError('unreachable', 'it closed the connection instead of opening a tunnel', { cause }))
    request.on('error', broken)
    request.once('close', () => broken())
    stop = startTimer(systemClock, longestMs, () =>
      reject(new TransportError('unreachable', `it opened no tunnel within ${longestMs / 1_000} s`)),
    )
    request.end()
  })
  await answered.finally(stop)
}

/** Why the proxy's answer does not open a tunnel; undefined if it does. */
function refusalOf(status: number, rest: Buffer): TransportError | undefined {
  if (status === NEEDS_USER) return userMissing()
  if (status < 200 || status > 299) {
    return new TransportError('unreachable', `the proxy answered ${status} instead of opening a tunnel`, {
      // A 5xx may pass: the proxy, or a server behind it, is in trouble.
      permanent: status < 500,
    })
  }
  if (rest.length === 0) return undefined
  return new TransportError('unreachable', 'the proxy sent an answer of its own instead of opening a tunnel')
}

/** Where a request goes, and by which proxy; an http URL without a tunnel. */
export interface Route {
  readonly url: URL
  readonly proxy: NamedProxy | undefined
}

/** How a request names its target: a proxy without a tunnel needs the whole URL, and its credentials with each request. */
export function targetOf({ url, proxy }: Route) {
  const path = `${url.pathname}${url.search}`
  if (proxy === undefined || url.protocol !== 'http:') return { path, headers: {} }
  return { path: `${url.origin}${path}`, headers: proxyAuthorization(new URL(proxy.url)) }
}

/** The error of an answer by which a proxy without a tunnel refuses the request; undefined for every other answer. */
export function proxyRefusal(status: number, { url, proxy }: Route): TransportError | undefined {
  const isRefused = status === NEEDS_USER && proxy !== undefined && url.protocol === 'http:'
  return isRefused ? new ThroughProxyError(userMissing(), proxy) : undefined
}

/** The status of a proxy that wants credentials (RFC 9110 15.5.8). */
const NEEDS_USER = 407

function userMissing(): TransportError {
  return new TransportError('unreachable', USER_MISSING, { permanent: true })
}

/** The credentials of a proxy's URL, as a header. */
function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
