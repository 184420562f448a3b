import { readFile } from 'node:fs/promises'
import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { CodedError } from '../../src/checks/coded-error.ts'
import { checkOptions, type OptionChecks, wholeNumberFrom } from '../../src/checks/options.ts'
import { aText, someFields } from '../../src/checks/values.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import { afterRealTime, createSystemClock } from '../clock/clock.ts'
import { EmulatorError, type EmulatorErrorCode } from '../emulator-error.ts'
import { closeGraceMs, type HttpHandler, reasonPhrases } from '../http.ts'
import { isLoopbackAddress, plainAddress } from '../values/ip-allowlist.ts'
import { Connections, refusedUnread, type ServingParts, urlHost } from './socket.ts'

export interface ListenOptions {
  /** Defaults to 127.0.0.1: only this machine can connect. */
  readonly host?: string | undefined
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined
  /** Defaults to plain HTTP. */
  readonly tls?: TlsOptions | undefined
}

/** Certificate and key, each the path of a PEM file or its text. */
export interface TlsOptions {
  /** The certificate, followed by its chain if it has one. */
  readonly cert: string
  readonly key: string
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
}

/**
 * Longer than clients keep idle connections, in milliseconds, so that the client always closes first and no request meets
 * a closing connection.
 */
const keepAliveMs = 65_000

/**
 * The most bytes of a head: 64 KiB of cookies, which all programs of this machine share on all ports
 * (RFC 6265 8.5), and the 16 KiB that web servers usually allow for a whole head.
 */
const mostHeadBytes = 81_920

/**
 * Serves a handler on a socket. Requests and responses are Node's own objects; web streams would cost a third of the
 * throughput.
 *
 * @throws Error naming the address and what to do if it cannot be listened on; TlsError
 */
export async function listen(
  handle: HttpHandler,
  options: ListenOptions,
  { lingerMs = 5_000, faults = { mayReset: false } }: Partial<Pick<ServingParts, 'lingerMs' | 'faults'>> = {},
): Promise<Listener> {
  checkOptions('emulator.listen', options, listenChecks, { takes: 'an object such as { port: 4884 }' })
  const { host = '127.0.0.1', port = 0, tls } = options
  const server = await createServer(tls)
  const scheme = tls === undefined ? 'http' : 'https'
  const connections = new Connections({ handle, server, scheme, lingerMs, faults })
  answerUnreadable(server, connections, lingerMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    isExposed: !isLoopbackAddress(plainAddress(address.address)),
    baseUrl: `${scheme}://${urlHost(host)}:${address.port}`,
    async close() {
      const closed = new AbortController()
      server.close(() => closed.abort())
      connections.endWaiting()
      await createSystemClock()
        .sleep(closeGraceMs, closed.signal)
        .then(
          () => server.closeAllConnections(),
          () => {},
        )
    },
  }
}

const serverOptions: ServerOptions = {
  keepAliveTimeout: keepAliveMs,
  // A large file over a slow line takes hours. Without a limit of its own a head would have none either.
  requestTimeout: 0,
  headersTimeout: 60_000,
  maxHeaderSize: mostHeadBytes,
  // Refused with words, as all that is wrong with a host.
  requireHostHeader: false,
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  if (cause.code !== 'EADDRINUSE') {
    const problem = `Cannot listen on port ${port} of ${host}: ${reasonOf(cause)}`
    return new EmulatorError('cannot-listen', problem, { cause })
  }
  const advice = 'stop the program listening there, or choose another port (0 takes any free one)'
  return new EmulatorError('port-taken', `Port ${port} on ${host} is already in use: ${advice}`, { cause })
}

const tooLargeHead =
  'The head of this request has more than 80 KiB. If cookies fill it, they are those of all programs that were opened at this host name, on any port: delete them, or open the emulator by another name, such as localhost for 127.0.0.1.'

/** Node names what it could not read by a code. */
function refusalOf({ code, message }: NodeJS.ErrnoException) {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, words: tooLargeHead }
  return { status: 400, words: `This cannot be read as a request of HTTP/1.1 (${message}): is it meant for https?` }
}

/** Answers what Node cannot read; by itself it sends a status without a word. */
function answerUnreadable(server: Server, connections: Connections, lingerMs: number): void {
  const answered = new WeakSet<object>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The rest of what it sent is unreadable too.
    if (answered.has(socket)) return
    answered.add(socket)
    const open = connections.openResponse(socket)
    if (!socket.writable || open?.headersSent) return void socket.destroy()
    const { status, headers, body } = refusedUnread(refusalOf(error))
    const lines = Object.entries(headers).map((line) => line.join(': '))
    socket.end([`HTTP/1.1 ${status} ${reasonPhrases[status]}`, ...lines, '', body].join('\r\n'))
    if (open !== undefined) return socket.destroySoon()
    // A connection that closes over unread bytes is reset, and the client may lose the answer.
    const stop = afterRealTime(lingerMs, () => socket.destroy())
    socket.once('close', stop)
  })
}

/** A certificate or key that cannot be used; the message says why, in one line. */
export class TlsError extends CodedError {
  override readonly name = 'TlsError'
  readonly code = 'unusable-tls' satisfies EmulatorErrorCode
}

/**
 * Creates an HTTPS server for TLS 1.2 or later, or an HTTP server without `tls`.
 * @throws TlsError
 */
async function createServer(tls: TlsOptions | undefined): Promise<Server> {
  if (tls === undefined) return createPlainServer(serverOptions)
  const [cert, key] = await Promise.all([readPem('certificate', tls.cert), readPem('key', tls.key)])
  // Loaded on demand: most emulators never use TLS.
  const { createServer: createSecureServer } = await import('node:https')
  try {
    return createSecureServer({ ...serverOptions, cert, key, minVersion: 'TLSv1.2' })
  } catch (cause) {
    throw new TlsError(`The TLS certificate and key cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

async function readPem(what: string, given: string): Promise<string> {
  if (given.includes('-----BEGIN ')) return given
  try {
    return await readFile(given, 'utf8')
  } catch (cause) {
    throw new TlsError(`Cannot read the TLS ${what} ${given}: ${reasonOf(cause)}`, { cause })
  }
}
