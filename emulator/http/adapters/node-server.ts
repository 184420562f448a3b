import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createSystemClock } from '../../clock.ts'
import type { HttpHandler, ReplyBody } from '../../http-types.ts'
import { plainAddress } from '../../values/ip-allowlist.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { originOf } from '../request/request-origin.ts'
import { type ConnectionLimits, headersLookMs, usualLimits } from './connection-limits.ts'
import { dropRest } from './lingering.ts'
import { closeGraceMs } from './open-requests.ts'
import { createServer, type TlsOptions } from './tls.ts'

export interface ListenOptions {
  /** 127.0.0.1 unless given: an emulator is nobody else's business. */
  readonly host?: string
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** Plain HTTP unless given. */
  readonly tls?: TlsOptions
}

/** A server that takes requests. */
export interface Listener {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly port: number
  /** Takes no more requests, and waits for those it has; connections that have not ended after 5 s are cut. */
  close(): Promise<void>
}

/** Longer than clients keep idle connections, so that it is never this side that ends one a request is about to use. */
const keepAliveMs = 65_000

/**
 * Puts a handler on a socket. Requests and answers are Node's own objects, for web streams would cost a third of the
 * throughput.
 *
 * @throws Error naming the address and what to do where it cannot be listened on; TlsError
 */
export async function listen(
  handle: HttpHandler,
  options: ListenOptions,
  limits: ConnectionLimits = usualLimits,
): Promise<Listener> {
  const { host = '127.0.0.1', port = 0, tls } = options
  const server = await createServer(serverOptions(limits), tls)
  const scheme = tls === undefined ? 'http' : 'https'
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, body: AsyncIterable<Uint8Array>) =>
    void answer(handle, { server, scheme, limits, incoming, outgoing, body })
  server.on('request', (incoming, outgoing) => serve(incoming, outgoing, bodyOf(incoming, limits)))
  // Asked for the body only when somebody reads it, a client never sends what is refused anyway.
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) =>
    serve(
      incoming,
      outgoing,
      bodyOf(incoming, limits, () => outgoing.writeContinue()),
    ),
  )

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo

  return {
    port: address.port,
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

interface Exchange {
  readonly server: Server
  readonly scheme: string
  readonly limits: ConnectionLimits
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly body: AsyncIterable<Uint8Array>
}

async function answer(handle: HttpHandler, exchange: Exchange): Promise<void> {
  const { server, scheme, limits, incoming, outgoing, body } = exchange
  try {
    const reply = await handle({
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      origin: originOf(scheme, incoming.headers.host || localHost(incoming)),
      headers: incoming.headers,
      clientIp: plainAddress(incoming.socket.remoteAddress ?? ''),
      localPort: incoming.socket.localPort ?? 0,
      body,
      departure: () => signalOfDeparture(outgoing),
    })
    if (!server.listening) outgoing.shouldKeepAlive = false
    outgoing.writeHead(reply.status, reply.headers)
    const streamed = sendBody(reply.body, outgoing, limits)
    if (!incoming.complete) dropRest({ incoming, outgoing, server, limits })
    if (streamed === undefined) return
    await streamed
    // The connection was promised a longer life, before the server began to close.
    if (!server.listening && incoming.complete) incoming.socket.end()
  } catch (error) {
    // Only a client that has gone away gets no answer, or one whose connection is to break.
    if (error instanceof ConnectionResetError && !outgoing.headersSent) resetConnection(incoming)
    else outgoing.destroy()
  }
}

/** Sends a reset where the connection is a plain one; one under TLS ends without a word, which is as rude. */
function resetConnection({ socket }: IncomingMessage): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** A request as a whole may take as long as it likes: a large file over a slow line takes hours. */
function serverOptions({ headersMs }: ConnectionLimits): ServerOptions & { readonly handshakeTimeout: number } {
  return {
    keepAliveTimeout: keepAliveMs,
    requestTimeout: 0,
    headersTimeout: headersMs,
    connectionsCheckingInterval: Math.min(headersLookMs, headersMs),
    handshakeTimeout: headersMs,
  }
}

/** Of larger answers a part may wait here for a client to read it. */
const atOnceBytes = 65_536

/** @returns undefined where all is sent at once; a source is closed, whether its last byte is sent or not */
function sendBody(body: ReplyBody, outgoing: ServerResponse, { stillMs }: ConnectionLimits): Promise<void> | undefined {
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    return pipeline(takenInTime(body, outgoing, stillMs), outgoing)
  }
  outgoing.end(body)
  if (body !== null && body.length > atOnceBytes) outgoing.socket?.setTimeout(stillMs)
  return undefined
}

/** A source whose connection ends where the client leaves what it was sent unread; a source may be silent for long. */
function takenInTime(source: AsyncIterable<Uint8Array>, { socket }: ServerResponse, stillMs: number) {
  const iterator = source[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        socket?.setTimeout(0)
        const result = await iterator.next()
        socket?.setTimeout(stillMs)
        return result
      },
      return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
    }),
  }
}

/** Made only for those who ask, for most answers are over before anybody could go away. */
function signalOfDeparture(outgoing: ServerResponse): AbortSignal {
  const departure = new AbortController()
  if (outgoing.destroyed) departure.abort()
  else outgoing.once('close', () => departure.abort())
  return departure.signal
}

/**
 * Ending the iteration early must not end the connection: the answer is still to be sent on it. A client that sends nothing
 * while its body is waited for has gone away.
 */
async function* bodyOf(
  incoming: IncomingMessage,
  { stillMs }: ConnectionLimits,
  onFirstRead?: () => void,
): AsyncGenerator<Uint8Array> {
  onFirstRead?.()
  const { socket } = incoming
  try {
    socket.setTimeout(stillMs)
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      socket.setTimeout(0)
      yield chunk
      socket.setTimeout(stillMs)
    }
  } finally {
    socket.setTimeout(0)
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error
  const advice = 'stop what is listening there, or choose another port (0 takes any free one)'
  return new Error(`Port ${port} on ${host} is already in use: ${advice}`, { cause: error })
}

/** The wildcard addresses are listened on, but not called. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function localHost({ socket }: IncomingMessage): string {
  return `${urlHost(socket.localAddress ?? '')}:${socket.localPort}`
}
