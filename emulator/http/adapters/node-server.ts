import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions, type OptionChecks, wholeNumberFrom } from '../../../src/checks/options.ts'
import { aText, someFields } from '../../../src/checks/values.ts'
import { reasonOf } from '../../../src/system/system-errors.ts'
import { createSystemClock } from '../../clock/clock.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { HttpHandler } from '../../http-types.ts'
import { isLoopbackAddress, plainAddress } from '../../values/ip-allowlist.ts'
import { closeGraceMs } from '../open-requests.ts'
import { urlHost } from '../request/addresses.ts'
import { type ConnectionLimits, defaultConnectionLimits, headersCheckMs } from './connection-limits.ts'
import { trackConnections } from './connections.ts'
import { createServing } from './serving.ts'
import { createServer, type TlsOptions } from './tls.ts'
import { answerUnreadable, mostHeadBytes } from './unreadable-requests.ts'

export interface ListenOptions {
  /** Defaults to 127.0.0.1: only this machine can connect. */
  readonly host?: string | undefined
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined
  /** Defaults to plain HTTP. */
  readonly tls?: TlsOptions | undefined
}

const pem = { ...aText, accepts: 'PEM as text, or the path of a PEM file' }

const listenChecks: OptionChecks<ListenOptions> = {
  host: aText,
  port: wholeNumberFrom(0, 'a whole number from 0 to 65535', 65_535),
  tls: someFields({ cert: pem, key: pem }, { required: ['cert', 'key'], accepts: 'an object with cert and key' }),
}

export interface Listener {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly port: number
  /** Whether other machines may reach it. */
  readonly isExposed: boolean
  /**
   * Stops accepting requests and waits for those in progress; connections still open after 5 s are cut, those on which
   * nothing is asked at once.
   */
  close(): Promise<void>
  /** Ends the connections that browsers keep for a next request. */
  endBrowsersIdle(): void
}

/** How a listener serves, besides where. */
export interface ListenerParts {
  readonly limits?: ConnectionLimits
  /** Whether a connection may serve further requests. Default: yes. */
  readonly keepsAlive?: () => boolean
}

/**
 * Longer than clients keep idle connections, so that the client always closes first and no request meets a closing
 * connection.
 */
const keepAliveMs = 65_000

/**
 * Serves a handler on a socket. Requests and replies are Node's own objects; web streams would cost a third of the
 * throughput.
 *
 * @throws Error naming the address and what to do if it cannot be listened on; TlsError
 */
export async function listen(
  handle: HttpHandler,
  options: ListenOptions,
  { limits = defaultConnectionLimits, keepsAlive = () => true }: ListenerParts = {},
): Promise<Listener> {
  checkOptions('emulator.listen', options, listenChecks, { takes: 'an object such as { port: 4884 }' })
  const { host = '127.0.0.1', port = 0, tls } = options
  const server = await createServer(serverOptions(limits), tls)
  const scheme = tls === undefined ? 'http' : 'https'
  const connections = trackConnections(server)
  const serve = createServing({ handle, server, scheme, limits, connections, keepsAlive })
  server.on('request', serve)
  answerUnreadable(server, { connections, limits })
  // `100 Continue` is sent on the first read of the body, so the client never sends a body that is refused unread.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    serve(incoming, outgoing, () => outgoing.writeContinue()),
  )

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo

  return {
    port: address.port,
    isExposed: !isLoopbackAddress(plainAddress(address.address)),
    baseUrl: `${scheme}://${urlHost(host)}:${address.port}`,
    endBrowsersIdle: connections.endBrowsersIdle,
    async close() {
      const closed = new AbortController()
      server.close(() => closed.abort())
      connections.endAll()
      await createSystemClock()
        .sleep(closeGraceMs, closed.signal)
        .then(connections.cutAll, () => {})
    },
  }
}

/** A request has no total time limit: a large file over a slow line takes hours. */
function serverOptions({ headersMs }: ConnectionLimits): ServerOptions & { readonly handshakeTimeout: number } {
  return {
    keepAliveTimeout: keepAliveMs,
    requestTimeout: 0,
    maxHeaderSize: mostHeadBytes,
    // Refused with words, as all that is wrong with a host.
    requireHostHeader: false,
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.min(headersCheckMs, headersMs),
    handshakeTimeout: headersMs,
  }
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  if (cause.code !== 'EADDRINUSE') {
    const problem = `Cannot listen on port ${port} of ${host}: ${reasonOf(cause)}`
    return new EmulatorError('cannot-listen', problem, { cause })
  }
  const advice = 'stop the program listening there, or choose another port (0 takes any free one)'
  return new EmulatorError('port-taken', `Port ${port} on ${host} is already in use: ${advice}`, { cause })
}
