import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { isUint8Array } from 'node:util/types'
import { afterRealTime } from '../clock/clock.ts'
import {
  ConnectionResetError,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  noBody,
  type ResponseBody,
  reasonPhrases,
} from '../http.ts'
import { plainAddress } from '../values/ip-allowlist.ts'

export interface ServingParts {
  readonly handle: HttpHandler
  readonly server: Server
  readonly scheme: 'http' | 'https'
  /** Longest pause in the rest of an answered request, on a connection that is about to end, in milliseconds. */
  readonly lingerMs: number
  /** While this may reset a connection, none serves further requests. */
  readonly faults: { readonly mayReset: boolean }
}

/** How long a stream of events may take to leave once the server closes, in milliseconds: its reader may have stopped. */
const streamGraceMs = 200

/** Serves the requests of a server, and knows on which of its connections nothing was asked yet: for Node they are busy. */
export class Connections {
  readonly #parts: ServingParts
  /** Those, by their other end: under TLS a plain socket becomes another one once the handshake is made. */
  readonly #fresh = new Map<string, Socket>()
  /** The latest response on each; responses leave in the order of their requests. */
  readonly #responses = new WeakMap<Socket, ServerResponse>()
  /** Those that last until their server closes. */
  readonly #streams = new Set<ServerResponse>()

  constructor(parts: ServingParts) {
    this.#parts = parts
    const { server } = parts
    const add = (socket: Socket) => this.#add(socket)
    server.on('connection', add).on('secureConnection', add)
    server.on('request', (incoming, outgoing) => this.#serve(incoming, outgoing))
    // `100 Continue` is sent on the first read of the body, so the client never sends a body that is refused unread.
    server.on('checkContinue', (incoming, outgoing) => this.#serve(incoming, outgoing, () => outgoing.writeContinue()))
  }

  #add(socket: Socket): void {
    const end = endOf(socket)
    this.#fresh.set(end, socket)
    socket.once('close', () => {
      if (this.#fresh.get(end) === socket) this.#fresh.delete(end)
    })
  }

  /** @param onFirstRead called when the body is first read */
  async #serve(incoming: IncomingMessage, outgoing: ServerResponse, onFirstRead?: () => void): Promise<void> {
    const { server } = this.#parts
    const { socket } = incoming
    if (!this.#responses.has(socket)) this.#fresh.delete(endOf(socket))
    this.#responses.set(socket, outgoing)
    try {
      await this.#send(await this.#answer(incoming, outgoing, onFirstRead), incoming, outgoing)
      if (!server.listening) server.closeIdleConnections()
    } catch (error) {
      // Nothing is sent if the client is gone or the connection is to be reset.
      if (error instanceof ConnectionResetError && !outgoing.headersSent) resetConnection(incoming)
      else outgoing.destroy()
    }
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse, onFirstRead?: () => void) {
    const { handle, scheme } = this.#parts
    const { method = 'GET', url = '/', httpVersion, headers, socket } = incoming
    if (!namesOneHost(incoming, scheme)) return refusedUnread({ status: 400, words: hostWords })
    const isBare = onFirstRead === undefined && hasNoBody(incoming)
    return handle({
      method,
      url,
      origin: originOf(scheme, headers.host || `${urlHost(socket.localAddress ?? '')}:${socket.localPort}`),
      // Node joins repeated ones, but for Set-Cookie, which no request has.
      headers: headers as HttpRequest['headers'],
      clientIp: plainAddress(socket.remoteAddress ?? ''),
      localPort: socket.localPort ?? 0,
      httpVersion,
      body: isBare ? noBody : bodyOf(incoming, onFirstRead),
      clientGone: () => clientGoneSignal(outgoing),
    })
  }

  #send({ status, headers, body }: HttpResponse, incoming: IncomingMessage, outgoing: ServerResponse) {
    const { server, lingerMs, faults } = this.#parts
    if (!server.listening || faults.mayReset || isBrowsers(incoming)) outgoing.shouldKeepAlive = false
    outgoing.writeHead(status, reasonPhrases[status] ?? '', headers)
    if (headers['Content-Type'] === 'text/event-stream') {
      this.#streams.add(outgoing)
      outgoing.once('close', () => this.#streams.delete(outgoing))
    }
    const sent = sendBody(body, outgoing)
    // Node calls a request complete only after its listeners have seen it.
    if (!incoming.complete && !hasNoBody(incoming)) discardRest(incoming, lingerMs)
    return sent
  }

  /** The response that a connection waits for or gets; undefined if nothing is asked on it. */
  openResponse(socket: Socket): ServerResponse | undefined {
    const response = this.#responses.get(socket)
    return response?.writableFinished && response.req.complete ? undefined : response
  }

  /** Ends those that wait for nothing but the end. Call once the server takes no more of them, and has ended idle ones. */
  endWaiting(): void {
    for (const socket of this.#fresh.values()) socket.destroy()
    for (const stream of this.#streams) afterRealTime(streamGraceMs, () => stream.destroy())
  }
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

/**
 * A browser's connection is not kept: it repeats a POST by itself that is reset on a kept one, but not on a new one. Node's
 * own `fetch` sends neither header.
 */
function isBrowsers({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined
}

/** Sends a reset on a plain connection; with TLS, closes it without close_notify. */
function resetConnection({ socket }: IncomingMessage): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** @returns undefined if all is sent at once; a source is closed even if it was not read to its end */
function sendBody(body: ResponseBody, outgoing: ServerResponse): Promise<void> | undefined {
  if (body !== null && typeof body !== 'string' && !isUint8Array(body)) return pipeline(body, outgoing)
  outgoing.end(body)
  return undefined
}

/** Created only on request: most responses are sent before a client could disconnect. */
function clientGoneSignal(outgoing: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (outgoing.destroyed) gone.abort()
  else outgoing.once('close', () => gone.abort())
  return gone.signal
}

/** RFC 9112 6.3 */
function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/** Ending the iteration early leaves the connection open for the response. */
async function* bodyOf(incoming: IncomingMessage, onFirstRead: (() => void) | undefined) {
  onFirstRead?.()
  yield* incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
}

/**
 * The origin that a request of a scheme addresses, by the Host header as sent and as the service's framework writes it:
 * host in lower case, default port left out. A port that does not begin with a number counts as 0; 0 itself, or none, as
 * the scheme's own.
 */
export function originOf(scheme: 'http' | 'https', host: string): string {
  const sent = host.trim()
  const colon = sent.startsWith('[') ? sent.indexOf(':', sent.lastIndexOf(']')) : sent.lastIndexOf(':')
  const written = colon === -1 ? '' : sent.slice(colon + 1)
  const port = written === '' || written === '0' ? undefined : Math.trunc(Number.parseFloat(written)) || 0
  const isOwnPort = port === undefined || port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${sent.replace(/:\d+$/, '').toLowerCase()}${isOwnPort ? '' : `:${port}`}`
}

/** A wildcard address can be listened on, but not connected to. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether a request tells which host it addresses (RFC 9112 3.2). HTTP/1.0 needs no Host. */
function namesOneHost({ url = '/', httpVersion, rawHeaders }: IncomingMessage, scheme: 'http' | 'https') {
  // Of repeated ones Node shows only the first.
  const isHost = (name = '') => name.length === 4 && name.toLowerCase() === 'host'
  const [host, ...others] = rawHeaders.filter((_, at) => at % 2 === 1 && isHost(rawHeaders[at - 1]))
  if (host === undefined) return httpVersion !== '1.1'
  const [, authority] = url.startsWith('/') ? [] : (/^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [])
  return others.length === 0 && (authority === undefined || originOf(scheme, authority) === originOf(scheme, host))
}

const hostWords = 'A request of HTTP/1.1 has one Host header, which names the host of its target.'

/** What a client gets of a request that no handler sees, as the text that a web server would send. */
export function refusedUnread({ status, words }: { readonly status: number; readonly words: string }) {
  const body = `${status} ${reasonPhrases[status]}\n\n${words}\n`
  const length = String(Buffer.byteLength(body))
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': length, Connection: 'close' }
  return { status, headers, body }
}

/**
 * Reads and discards what the client still sends after its response. If unread bytes remain when the connection closes,
 * the system sends a reset, and a client or proxy may lose a response it has not read yet.
 */
function discardRest(incoming: IncomingMessage, lingerMs: number): void {
  incoming.on('error', () => {})
  incoming.resume()
  lingerAtEnd(incoming, lingerMs)
}

/** The latest request of each connection that was answered before it was read. */
const latestUnread = new WeakMap<Socket, IncomingMessage>()

/**
 * Node closes both directions of a connection that is not kept alive as soon as the response is written. This closes only
 * the response's direction at once, and the other one when the request ends (RFC 9112 9.6).
 */
function lingerAtEnd(incoming: IncomingMessage, lingerMs: number): void {
  const { socket } = incoming
  const isReady = latestUnread.has(socket)
  latestUnread.set(socket, incoming)
  // Once per connection; a kept connection serves many requests.
  if (isReady) return
  const end = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    socket.destroySoon = end
    const last = latestUnread.get(socket)
    if (last === undefined || last.complete) return end()
    last.once('end', end)
    socket.setTimeout(lingerMs)
    socket.end()
  }
}
