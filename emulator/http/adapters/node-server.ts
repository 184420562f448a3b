import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { isUint8Array } from 'node:util/types'
import { checkOptions, type OptionCheck, type OptionChecks, optionsOf } from '../../../src/checks/options.ts'
import { aText, kindBy } from '../../../src/checks/values.ts'
import { reasonOf } from '../../../src/system/system-errors.ts'
import { createSystemClock } from '../../clock/clock.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { HttpHandler, ReplyBody } from '../../http-types.ts'
import { isLoopbackAddress, plainAddress } from '../../values/ip-allowlist.ts'
import { closeGraceMs } from '../open-requests.ts'
import { originOf } from '../request/addresses.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { reasonPhrase } from '../response/reply.ts'
import { type ByteGarbage, createByteGarbage } from './byte-garbage.ts'
import { type ConnectionLimits, defaultConnectionLimits, headersCheckMs } from './connection-limits.ts'
import { discardRest, type LingeringRequest } from './lingering.ts'
import { createServer, type TlsOptions } from './tls.ts'

export interface ListenOptions {
  /** Defaults to 127.0.0.1: only this machine can connect. */
  readonly host?: string | undefined
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined
  /** Defaults to plain HTTP. */
  readonly tls?: TlsOptions | undefined
}

const pem: OptionCheck = { ...aText, accepts: 'PEM as text, or the path of a PEM file' }

const listenChecks: OptionChecks<ListenOptions> = {
  host: aText,
  port: {
    ...kindBy(
      'a whole number from 0 to 65535',
      (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    ),
    isNumber: true,
  },
  tls: optionsOf('an object with cert and key', { cert: pem, key: pem }, ['cert', 'key']),
}

export interface Listener {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly port: number
  /** Whether other machines may reach it. */
  readonly isExposed: boolean
  /** Stops accepting requests and waits for those in progress; connections still open after 5 s are cut. */
  close(): Promise<void>
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
  limits: ConnectionLimits = defaultConnectionLimits,
): Promise<Listener> {
  checkOptions('emulator.listen', options, listenChecks, { takes: 'an object such as { port: 4884 }' })
  const { host = '127.0.0.1', port = 0, tls } = options
  const server = await createServer(serverOptions(limits), tls)
  const scheme = tls === undefined ? 'http' : 'https'
  const garbage = createByteGarbage()
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, onFirstRead?: () => void) => {
    const body = bodyOf(incoming, { limits, garbage, onFirstRead })
    void answer(handle, { server, scheme, limits, garbage, incoming, outgoing, body })
  }
  server.on('request', (incoming, outgoing) => serve(incoming, outgoing))
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
    async close() {
      const closed = new AbortController()
      server.close(() => closed.abort())
      const cut = () => server.closeAllConnections()
      await createSystemClock()
        .sleep(closeGraceMs, closed.signal)
        .then(cut, () => {})
    },
  }
}

interface Exchange extends LingeringRequest {
  readonly scheme: string
  readonly garbage: ByteGarbage
  readonly body: AsyncIterable<Uint8Array>
}

async function answer(handle: HttpHandler, exchange: Exchange): Promise<void> {
  const { server, scheme, limits, garbage, incoming, outgoing, body } = exchange
  try {
    const reply = await handle({
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      origin: originOf(scheme, incoming.headers.host || localHost(incoming)),
      headers: incoming.headers,
      clientIp: plainAddress(incoming.socket.remoteAddress ?? ''),
      localPort: incoming.socket.localPort ?? 0,
      httpVersion: incoming.httpVersion,
      body,
      clientGone: () => clientGoneSignal(outgoing),
    })
    if (!server.listening) outgoing.shouldKeepAlive = false
    outgoing.writeHead(reply.status, reasonPhrase(reply.status), reply.headers)
    const streamed = sendBody(reply.body, outgoing, { limits, garbage })
    if (!incoming.complete) discardRest({ incoming, outgoing, server, limits })
    if (streamed === undefined) return
    await streamed
    // The reply promised keep-alive before the server began to close.
    if (!server.listening && incoming.complete) incoming.socket.end()
  } catch (error) {
    // No reply is sent if the client is gone or the connection is to be reset.
    if (error instanceof ConnectionResetError && !outgoing.headersSent) resetConnection(incoming)
    else outgoing.destroy()
  }
}

/** Sends a reset on a plain connection; with TLS, closes it without close_notify. */
function resetConnection({ socket }: IncomingMessage): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** A request has no total time limit: a large file over a slow line takes hours. */
function serverOptions({ headersMs }: ConnectionLimits): ServerOptions & { readonly handshakeTimeout: number } {
  return {
    keepAliveTimeout: keepAliveMs,
    requestTimeout: 0,
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.min(headersCheckMs, headersMs),
    handshakeTimeout: headersMs,
  }
}

interface Streaming {
  readonly limits: ConnectionLimits
  readonly garbage: ByteGarbage
}

/** The tail of a larger body may stay buffered until the client reads it, so reading is timed. */
const maxUnwatchedBytes = 65_536

/** @returns undefined if all is sent at once; a source is closed even if it was not read to its end */
function sendBody(body: ReplyBody, outgoing: ServerResponse, sending: Streaming): Promise<void> | undefined {
  if (body !== null && typeof body !== 'string' && !isUint8Array(body)) {
    return pipeline(withReadTimeout(body, outgoing, sending), outgoing)
  }
  outgoing.end(body)
  if (body !== null && body.length > maxUnwatchedBytes) outgoing.socket?.setTimeout(sending.limits.idleMs)
  return undefined
}

/** Cuts the connection if the client stops reading; the source itself may pause for any time. */
function withReadTimeout(
  source: AsyncIterable<Uint8Array>,
  { socket }: ServerResponse,
  { limits, garbage }: Streaming,
) {
  const iterator = source[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        socket?.setTimeout(0)
        const result = await iterator.next()
        socket?.setTimeout(limits.idleMs)
        if (result.done !== true) garbage.count(result.value.length)
        return result
      },
      return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
    }),
  }
}

/** Created only on request: most replies are sent before a client could disconnect. */
function clientGoneSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  else outgoing.once('close', () => gone.abort())
  return gone.signal
}

/**
 * Ending the iteration early leaves the connection open for the reply. A client that sends nothing while its body is
 * read times out.
 */
async function* bodyOf(
  incoming: IncomingMessage,
  { limits: { idleMs }, garbage, onFirstRead }: Streaming & { readonly onFirstRead: (() => void) | undefined },
): AsyncGenerator<Uint8Array> {
  onFirstRead?.()
  const { socket } = incoming
  try {
    socket.setTimeout(idleMs)
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      socket.setTimeout(0)
      yield chunk
      garbage.count(chunk.length)
      socket.setTimeout(idleMs)
    }
  } finally {
    socket.setTimeout(0)
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

/** A wildcard address can be listened on, but not connected to. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function localHost({ socket }: IncomingMessage): string {
  return `${urlHost(socket.localAddress ?? '')}:${socket.localPort}`
}
