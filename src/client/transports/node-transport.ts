import http, { type ClientRequest, type IncomingMessage, OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkOptions } from '../../checks/options.ts'
import { release } from '../sources/local-source.ts'
import {
  Connection,
  type ConnectionOptions,
  connectionChecks,
  type ProxyOf,
  proxyChoice,
  type Route,
  targetOf,
} from './open-connection.ts'
import {
  defaultIdleTimeoutMs,
  exchangeError,
  isEndedByClose,
  type RequestBody,
  receivedHeaders,
  sentHeaders,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'

const { write } = OutgoingMessage.prototype

export type NodeTransportOptions = ConnectionOptions

/**
 * A transport over Node's own HTTP client. It loads in a fraction of undici's time, opens a connection for each request
 * and resets it when the request is aborted.
 *
 * @throws TypeError for an unknown option, and if the given proxy cannot be used
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  checkOptions('nodeTransport', options, connectionChecks)
  return nodeTransportThrough(proxyChoice(options), options)
}

/** {@link nodeTransport} through the proxies that a function names. */
export function nodeTransportThrough(proxyOf: ProxyOf, options: ConnectionOptions): Transport {
  return {
    async send(request) {
      const url = new URL(request.url)
      const route = { url, proxy: proxyOf(url) }
      // Read from the module at each request, because tools that intercept requests replace it.
      const { request: open } = url.protocol === 'https:' ? (await import('node:https')).default : http
      try {
        request.signal?.throwIfAborted()
        return await new Exchange(open, route, request, options).answer()
      } catch (error) {
        throw exchangeError(error, request.signal)
      }
    },
  }
}

/** One request on a connection of its own, and its answer. */
class Exchange {
  readonly #request: TransportRequest
  readonly #message: ClientRequest
  readonly #over = Promise.withResolvers<false>()
  #isOver = false
  /** The first, which says why. */
  #failure: unknown
  #connection: Connection | undefined
  #socket: Socket | undefined
  #response: IncomingMessage | undefined

  constructor(open: typeof http.request, route: Route, request: TransportRequest, options: ConnectionOptions) {
    const target = targetOf(route)
    this.#request = request
    this.#message = open(route.url, {
      method: request.method,
      // With `close`, a server closes while a refused body still arrives, and its answer is lost.
      headers: { ...sentHeaders(request), ...target.headers, connection: 'keep-alive' },
      // Without an agent, Node would write it into the header Host.
      defaultPort: route.url.protocol === 'https:' ? 443 : 80,
      createConnection: (_, onOpen) => {
        this.#connection = new Connection(route, options)
        this.#connection.ready.then(
          (socket) => {
            this.#socket = socket
            onOpen(null, socket)
          },
          (error) => onOpen(error, undefined as never),
        )
        return undefined
      },
    })
    // Not by the options, which tools that intercept requests read.
    this.#message.path = target.path
    const abort = () => this.#end(request.signal?.reason)
    request.signal?.addEventListener('abort', abort, { once: true })
    const over = (failure?: unknown) => {
      this.#failure ??= failure
      this.#isOver = true
      request.signal?.removeEventListener('abort', abort)
      this.#over.resolve(false)
    }
    this.#message.once('close', () => {
      this.#socket?.destroy()
      over()
    })
    // Without a connection there is an error, but no close. After the answer, an error must not crash the process.
    this.#message.on('error', over)
    this.#watchIdle(options.idleTimeoutMs ?? defaultIdleTimeoutMs)
  }

  /** Gives the exchange up: what has not left this machine does not leave any more. */
  #end(failure: unknown): void {
    this.#failure ??= failure
    this.#connection?.reset()
    this.#message.destroy()
  }

  async answer(): Promise<TransportResponse> {
    const message = this.#message
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    message.once('response', resolve)
    message.once('upgrade', (_, stream) => {
      stream.destroy()
      reject(new TransportError('interrupted', 'the answer changes to another protocol', { permanent: true }))
    })
    void this.#over.promise.then(() =>
      reject(this.#failure ?? new TransportError('interrupted', 'the connection was closed without an answer')),
    )
    if (this.#request.body) this.#pump(this.#request.body).catch((error) => this.#end(error))
    else message.end()
    const response = await promise
    this.#response = response
    const headers = receivedHeaders(response.headersDistinct)
    return { status: response.statusCode ?? 0, headers, body: this.#received(response) }
  }

  #watchIdle(idleTimeoutMs: number): void {
    this.#message.setTimeout(idleTimeoutMs, () => {
      // Bytes that have come wait for their reader: the other side is not silent.
      if (this.#response?.readableLength) this.#watchIdle(idleTimeoutMs)
      else this.#end(new TransportError('timeout', `nothing moved for ${idleTimeoutMs / 1_000} s`))
    })
  }

  /** Reads the first chunk only after the headers have left: a body that was not begun was certainly not sent. */
  async #pump({ chunks }: RequestBody): Promise<void> {
    const message = this.#message
    if (!(await this.#hasLeft(''))) return
    // Tools that intercept or record requests put a socket, or a function, of their own here, and may keep what it gets.
    const isOwn =
      message.socket === this.#socket && message.write === write && !Object.hasOwn(Object(this.#socket), 'write')
    for await (const chunk of chunks()) {
      if (!(await this.#hasLeft(chunk))) return
      if (isOwn) release(chunk)
      // A fast connection takes chunk after chunk within one turn of the event loop, in which no early answer is heard.
      await nextTurn()
    }
    message.end()
  }

  /** Writes bytes, and waits until the connection has taken them. @returns false if it never will */
  async #hasLeft(bytes: Uint8Array | string): Promise<boolean> {
    if (this.#isOver || this.#message.destroyed) return false
    const left = new Promise<boolean>((resolve) => void this.#message.write(bytes, (error) => resolve(!error)))
    // The socket of MSW connects only with the answer.
    return (await Promise.race([left, this.#over.promise])) && !this.#isOver && !this.#message.destroyed
  }

  async *#received(response: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      yield* response
      // Node also takes a broken connection for the end of an answer that ends with the connection.
      if (this.#failure && isEndedByClose(response.headers)) throw this.#failure
    } catch (error) {
      // Of a connection that breaks, Node's response only knows that it ended.
      throw exchangeError(this.#failure ?? error, this.#request.signal)
    } finally {
      // After an early answer, the unsent rest of the body would keep the process alive.
      if (!this.#message.writableFinished) this.#message.destroy()
    }
  }
}
