import { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { startTimer, systemClock } from '../../clock.ts'
import { TransportError } from './transport.ts'
import { USER_MISSING } from './transport-failure.ts'

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

/** The status of a proxy that wants credentials (RFC 9110 15.5.8). */
export const NEEDS_USER = 407

export function userMissing(): TransportError {
  return new TransportError('unreachable', USER_MISSING, { permanent: true })
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

/** The credentials of a proxy's URL, as a header. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}
