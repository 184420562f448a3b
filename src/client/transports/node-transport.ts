import http, { type ClientRequest, type IncomingMessage, OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkOptions } from '../../checks/options.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { release } from '../sources/file-source.ts'
import { Connection, type ConnectionOptions, connectionChecks } from './open-connection.ts'
import { type ProxyOf, proxyChoice, proxyRefusal, type Route, targetOf } from './proxy.ts'
import { SchemeProbe } from './scheme-probe.ts'
import type { RequestBody, Transport, TransportRequest, TransportResponse } from './transport.ts'
import { defaultIdleTimeoutMs, isEndedByClose, receivedHeaders, sentHeaders, TransportError } from './transport.ts'
import { cutError, exchangeError, idleTimeoutError } from './transport-failure.ts'

const { write } = OutgoingMessage.prototype

/** For bodies of this size it pays to hear a refusal before sending them (RFC 9110 10.1.1). */
const LARGE_BYTES = 1_048_576
/** How long to wait for a server's decision; many never send one. */
const LONGEST_DECISION_MS = 1_000
const EXPECTATION_FAILED = 417

export type NodeTransportOptions = ConnectionOptions

/**
 * A transport over Node's own HTTP client. It loads in a fraction of undici's time, opens a connection for each request
 * and resets it when the request is aborted.
 *
 * @throws TypeError for an unknown option, by the nearest name, and if the given proxy cannot be used
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  checkOptions('nodeTransport', options, connectionChecks, { instead: { dispatcher: 'undiciTransport takes one' } })
  return new NodeTransport(proxyChoice(options), options)
}

/** {@link nodeTransport} through the proxies that a function names. */
export class NodeTransport implements Transport {
  readonly #proxyOf: ProxyOf
  readonly #options: ConnectionOptions
  readonly #schemes = new SchemeProbe()
  /** Hosts that do not say whether they take a body, or refuse to be asked. */
  readonly #unasked = new Set<string>()

  constructor(proxyOf: ProxyOf, options: Pick<ConnectionOptions, 'ca' | 'idleTimeoutMs'>) {
    this.#proxyOf = proxyOf
    this.#options = options
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { body, signal } = request
    let isBegun = false
    const chunks = () => {
      isBegun = true
      return (body as RequestBody).chunks()
    }
    const url = new URL(request.url)
    const route = { url, proxy: this.#proxyOf(url) }
    try {
      const sent = body ? { ...request, body: { ...body, chunks } } : request
      const response = await this.#answer(route, sent, () => isBegun)
      const refusal = proxyRefusal(response.status, route)
      if (refusal !== undefined) {
        await leave(response)
        throw refusal
      }
      this.#schemes.answered(url)
      return response
    } catch (error) {
      throw await this.#schemes.explain(exchangeError(error, signal), route, { signal, isBegun })
    }
  }

  /** Asks a server first whether it takes a large body, and sends again without asking where it refuses just that. */
  async #answer(route: Route, request: TransportRequest, isBegun: () => boolean): Promise<TransportResponse> {
    const { host, protocol } = route.url
    const { body, signal } = request
    // Read from the module at each request, because tools that intercept requests replace it.
    const { request: open } = protocol === 'https:' ? (await import('node:https')).default : http
    signal?.throwIfAborted()
    const asks = body !== undefined && (body.length ?? LARGE_BYTES) >= LARGE_BYTES && !this.#unasked.has(host)
    const onSilence = asks ? () => void this.#unasked.add(host) : undefined
    const response = await new Exchange(open, route, request, this.#options).answer(onSilence)
    if (!asks || response.status !== EXPECTATION_FAILED) return response
    this.#unasked.add(host)
    // A body that was begun cannot be sent again; the caller can make another.
    if (isBegun()) return response
    await leave(response)
    return await this.#answer(route, request, isBegun)
  }
}

async function leave({ body }: TransportResponse): Promise<void> {
  for await (const _ of body) break
}

/** One request on a connection of its own, and its answer. */
class Exchange {
  readonly #request: TransportRequest
  readonly #message: ClientRequest
  readonly #ended: Promise<void>
  #isOver = false
  #connection: Connection | undefined
  #socket: Socket | undefined
  #response: IncomingMessage | undefined
  #failure: NodeJS.ErrnoException | undefined
  #timeout: TransportError | undefined

  constructor(open: typeof http.request, route: Route, request: TransportRequest, options: ConnectionOptions) {
    const { idleTimeoutMs = defaultIdleTimeoutMs } = options
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
            this.#message.once('close', () => socket.destroy())
            onOpen(null, socket)
          },
          (error) => onOpen(error, undefined as never),
        )
        return undefined
      },
    })
    // Not by the options, which tools that intercept requests read.
    this.#message.path = target.path
    const abort = () => this.#abort()
    request.signal?.addEventListener('abort', abort, { once: true })
    this.#ended = new Promise<void>((resolve) => {
      this.#message.once('close', resolve)
      // Without a connection there is an error, but no close.
      this.#message.once('error', () => resolve())
    }).then(() => {
      this.#isOver = true
      request.signal?.removeEventListener('abort', abort)
    })
    this.#watchIdle(idleTimeoutMs)
  }

  /**
   * Sends the request.
   * @param onSilence to ask before the body is sent whether it is wanted; called if the server does not say
   */
  async answer(onSilence: (() => void) | undefined): Promise<TransportResponse> {
    const message = this.#message
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    message.once('response', (response) => {
      this.#response = response
      resolve(response)
    })
    // Stays for the whole exchange: a connection that breaks after the answer must not crash the process.
    message.on('error', (error) => {
      this.#failure ??= error
      reject(error)
    })
    message.once('upgrade', (_, stream) => {
      stream.destroy()
      reject(new TransportError('interrupted', 'the answer changes to another protocol', { permanent: true }))
    })
    // The only event where a connection is closed before an answer.
    message.once('close', () =>
      reject(new TransportError('interrupted', 'the connection was closed without an answer')),
    )
    if (this.#request.body === undefined) message.end()
    else {
      this.#pump(this.#request.body, onSilence).catch((error) => {
        reject(error)
        message.destroy()
      })
    }
    try {
      const response = await promise
      const headers = receivedHeaders(response.headersDistinct)
      return { status: response.statusCode ?? 0, headers, body: this.#received(response) }
    } catch (error) {
      throw this.#explained(error)
    }
  }

  #abort(): void {
    this.#connection?.reset()
    this.#message.destroy()
  }

  #watchIdle(idleTimeoutMs: number): void {
    this.#message.setTimeout(idleTimeoutMs, () => {
      // Bytes that have come wait for their reader: the other side is not silent.
      if (this.#response?.readableLength) return this.#watchIdle(idleTimeoutMs)
      this.#timeout = idleTimeoutError(idleTimeoutMs)
      this.#abort()
    })
  }

  /** The error of a reset connection does not say why it was reset. */
  #explained(error: unknown): unknown {
    return exchangeError(this.#timeout ?? error, this.#request.signal)
  }

  /** Reads the first chunk only after the headers have left: a body that was not begun was certainly not sent. */
  async #pump({ chunks }: RequestBody, onSilence: (() => void) | undefined): Promise<void> {
    const message = this.#message
    if (onSilence !== undefined) message.setHeader('expect', '100-continue')
    // Does not ask the socket, because the socket of MSW connects only with the answer.
    await Promise.race([new Promise<void>((resolve) => void message.write('', () => resolve())), this.#ended])
    if (this.#isOver || message.destroyed) return
    if (onSilence !== undefined && !(await this.#isWanted(onSilence))) return
    if (await this.#hasWritten(chunks())) message.end()
  }

  /** Whether the body may be sent: not where the server has answered or closed without it. */
  async #isWanted(onSilence: () => void): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#message.once('continue', () => resolve(true))
    this.#message.once('response', () => resolve(false))
    void this.#ended.then(() => resolve(false))
    const stop = startTimer(systemClock, LONGEST_DECISION_MS, () => {
      onSilence()
      resolve(true)
    })
    return (await promise.finally(stop)) && !this.#isOver && !this.#message.destroyed
  }

  /**
   * Writes chunk after chunk, and waits where the connection takes no more for now.
   * @returns false if the exchange is over: the last chunk may still be read then
   */
  async #hasWritten(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
    const message = this.#message
    // Tools that intercept or record requests put a socket, or a function, of their own here, and may keep what it gets.
    const isOwn =
      message.socket === this.#socket && message.write === write && !Object.hasOwn(Object(this.#socket), 'write')
    let leave = () => {}
    void this.#ended.then(() => leave())
    for await (const chunk of chunks) {
      if (this.#isOver || message.destroyed) return false
      const outcome = await new Promise<'room' | 'drained' | 'over'>((resolve) => {
        leave = () => resolve('over')
        if (message.write(chunk, (error) => resolve(error ? 'over' : 'drained'))) resolve('room')
      })
      if (outcome === 'over') return false
      if (outcome === 'room') continue
      if (isOwn) release(chunk)
      // A fast connection takes chunk after chunk within one turn of the event loop, in which no early answer is heard.
      await nextTurn()
    }
    return true
  }

  async *#received(response: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      yield* response
      // Node also takes a broken connection for the end of an answer that ends with the connection.
      const broken = this.#failure ?? (this.#connection?.isCut ? cutError() : undefined)
      if (broken !== undefined && isEndedByClose(response.headers)) throw broken
    } catch (error) {
      // Of a body that its parser cannot read, Node's response only knows that it ended.
      throw this.#explained(this.#failure?.code?.startsWith('HPE_') ? this.#failure : error)
    } finally {
      // After an early answer, the unsent rest of the body would keep the process alive.
      if (!this.#message.writableFinished) this.#message.destroy()
    }
  }
}
