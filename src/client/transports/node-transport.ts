import http, { type ClientRequest, type IncomingMessage, OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkOptions } from '../../checks/options.ts'
import { startTimer, systemClock } from '../../clock.ts'
import { release } from '../sources/file-source.ts'
import { type Connection, type ConnectionOptions, connectionChecks, openConnection } from './open-connection.ts'
import { type ProxyOf, proxyChoice } from './proxy.ts'
import { createSchemeProbe } from './scheme-probe.ts'
import {
  defaultIdleTimeoutMs,
  isEndedByClose,
  type RequestBody,
  receivedHeaders,
  sentHeaders,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { cutError, exchangeError, idleTimeoutError } from './transport-failure.ts'
import { proxyRefusal, type Route, targetOf } from './tunnel.ts'

const { write } = OutgoingMessage.prototype

/** A fast connection takes chunk after chunk within one turn of the event loop: after so many bytes an early answer is heard. */
const TURN_BYTES = 4_194_304

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
  return nodeTransportThrough(proxyChoice(options), options)
}

/** {@link nodeTransport} through the proxies that a function names. */
export function nodeTransportThrough(
  proxyOf: ProxyOf,
  { idleTimeoutMs = defaultIdleTimeoutMs, ca }: Pick<NodeTransportOptions, 'idleTimeoutMs' | 'ca'>,
): Transport {
  const schemes = createSchemeProbe()
  /** Hosts that do not say whether they take a body, or refuse to be asked. */
  const unasked = new Set<string>()

  async function sendOnce(route: Route, request: TransportRequest, asks = false) {
    const { url, proxy } = route
    const { signal, body } = request
    // Read from the module at each request, because tools that intercept requests replace it.
    const { request: open } = url.protocol === 'https:' ? (await import('node:https')).default : http
    signal?.throwIfAborted()
    const target = targetOf(route)
    let connection: Connection | undefined
    let socket: Socket | undefined
    const message = open(url, {
      method: request.method,
      // With `close`, a server closes while a refused body still arrives, and its answer is lost.
      headers: { ...sentHeaders(request), ...target.headers, connection: 'keep-alive' },
      // Without an agent, Node would write it into the header Host.
      defaultPort: url.protocol === 'https:' ? 443 : 80,
      createConnection(_, onOpen) {
        connection = openConnection({ url, proxy, ca, idleTimeoutMs, onFirstByte: (byte) => schemes.heard(url, byte) })
        connection.ready.then(
          (stream) => {
            socket = stream
            message.once('close', () => stream.destroy())
            onOpen(null, stream)
          },
          (error) => onOpen(error, undefined as never),
        )
        return undefined
      },
    })
    // Not by the options, which tools that intercept requests read; and before Expect, with which Node writes the head.
    message.path = target.path
    if (asks) message.setHeader('expect', '100-continue')
    let response: IncomingMessage | undefined
    let timeout: TransportError | undefined
    let failure: Error | undefined
    // The error of a reset connection does not say why it was reset.
    const explain = (error: unknown) => exchangeError(timeout ?? error, signal)
    const giveUp = () => {
      connection?.reset()
      message.destroy()
    }
    const watchIdle = () => {
      message.setTimeout(idleTimeoutMs, () => {
        // Bytes that have come wait for their reader: the other side is not silent.
        if (response?.readableLength) return watchIdle()
        timeout = idleTimeoutError(idleTimeoutMs)
        giveUp()
      })
    }
    watchIdle()
    signal?.addEventListener('abort', giveUp, { once: true })
    const over = ended(message).then(() => signal?.removeEventListener('abort', giveUp))

    /** Reads the first chunk only after the headers have left: a body that was not begun was certainly not sent. */
    async function pump({ chunks }: RequestBody): Promise<void> {
      // Does not ask the socket, because the socket of MSW connects only with the answer.
      await Promise.race([new Promise<void>((resolve) => void message.write('', () => resolve())), over])
      if (message.destroyed || !(await allowsBody(message, url)) || message.destroyed) return
      // Tools that intercept or record requests put a socket, or a function, of their own here, and may keep what it gets.
      const isOwn = message.socket === socket && message.write === write && !Object.hasOwn(Object(socket), 'write')
      if (await writtenAll(message, chunks(), isOwn ? release : () => {})) message.end()
    }

    const answered = new Promise<TransportResponse>((resolve, reject) => {
      message.once('response', (begun) => {
        response = begun
        resolve({
          status: begun.statusCode ?? 0,
          headers: receivedHeaders(begun.headersDistinct),
          body: received(message, begun, explain, () => failure ?? (connection?.isCut() ? cutError() : undefined)),
        })
      })
      // Stays for the whole exchange: a connection that breaks after the answer must not crash the process.
      message.on('error', (error) => {
        failure ??= error
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
      if (body === undefined) message.end()
      else {
        pump(body).catch((error) => {
          reject(error)
          message.destroy()
        })
      }
    })
    return await answered.catch((error) => {
      throw explain(error)
    })
  }

  /** Resolves when the body may be sent (true), or the server has answered or closed without it (false). */
  async function allowsBody(message: ClientRequest, { host }: URL): Promise<boolean> {
    if (message.getHeader('expect') === undefined) return true
    const decision = await decisionOf(message)
    if (decision === 'silence') unasked.add(host)
    return decision === 'silence' || decision === 'continue'
  }

  /** Asks a server first whether it takes a large body, and sends again without asking where it refuses just that. */
  async function sendAsking(route: Route, request: TransportRequest, isBegun: () => boolean) {
    const { host } = route.url
    const isLarge = request.body !== undefined && (request.body.length ?? LARGE_BYTES) >= LARGE_BYTES
    if (!isLarge || unasked.has(host)) return await sendOnce(route, request)
    const response = await sendOnce(route, request, true)
    if (response.status !== EXPECTATION_FAILED) return response
    unasked.add(host)
    // A body that was begun cannot be sent again; the caller can make another.
    if (isBegun()) return response
    await leave(response)
    return await sendOnce(route, request)
  }

  return {
    async send(request) {
      const { body, signal } = request
      let isBegun = false
      const chunks = () => {
        isBegun = true
        return (body as RequestBody).chunks()
      }
      const sent = body ? { ...request, body: { ...body, chunks } } : request
      const url = new URL(request.url)
      const route = { url, proxy: proxyOf(url) }
      try {
        const response = await sendAsking(route, sent, () => isBegun)
        const refusal = proxyRefusal(response.status, route)
        if (refusal !== undefined) {
          await leave(response)
          throw refusal
        }
        schemes.answered(url)
        return response
      } catch (error) {
        throw await schemes.explain(exchangeError(error, signal), route, { signal, isBegun })
      }
    },
  }
}

async function leave({ body }: TransportResponse): Promise<void> {
  for await (const _ of body) break
}

/** Without a connection there is an error, but no close. */
function ended(message: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    message.once('close', resolve)
    message.once('error', () => resolve())
  })
}

function decisionOf(message: ClientRequest): Promise<'continue' | 'answer' | 'silence' | 'end'> {
  let stop = () => {}
  return new Promise<'continue' | 'answer' | 'silence' | 'end'>((resolve) => {
    message.once('continue', () => resolve('continue'))
    message.once('response', () => resolve('answer'))
    void ended(message).then(() => resolve('end'))
    stop = startTimer(systemClock, LONGEST_DECISION_MS, () => resolve('silence'))
  }).finally(() => stop())
}

/**
 * Writes chunk after chunk, and waits where the connection takes no more for now.
 * @param taken called with a chunk of which the connection needs nothing any more
 * @returns false if the exchange is over: the last chunk may still be read then
 */
async function writtenAll(
  message: ClientRequest,
  chunks: AsyncIterable<Uint8Array>,
  taken: (chunk: Uint8Array) => void,
): Promise<boolean> {
  let [isOver, sinceTurn] = [false, TURN_BYTES]
  let leave = () => {}
  void ended(message).then(() => {
    isOver = true
    leave()
  })
  for await (const chunk of chunks) {
    sinceTurn += chunk.length
    if (sinceTurn >= TURN_BYTES) {
      await nextTurn()
      sinceTurn = 0
    }
    if (isOver || message.destroyed) return false
    const outcome = await new Promise<'room' | 'drained' | 'over'>((resolve) => {
      leave = () => resolve('over')
      if (message.write(chunk, (error) => resolve(error ? 'over' : 'drained'))) resolve('room')
    })
    if (outcome === 'over') return false
    if (outcome === 'drained') taken(chunk)
  }
  return true
}

/** The body of an answer. @param broken why the connection broke, if it did */
async function* received(
  message: ClientRequest,
  response: IncomingMessage,
  explain: (error: unknown) => unknown,
  broken: () => Error | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response
    // Node also takes a broken connection for the end of an answer that ends with the connection.
    const failure = isEndedByClose(response.headers) ? broken() : undefined
    if (failure !== undefined) throw failure
  } catch (error) {
    // Of a body that its parser cannot read, Node's response only knows that it ended.
    const failure = broken()
    throw explain(String(Object(failure).code).startsWith('HPE_') ? failure : error)
  } finally {
    // After an early answer, the unsent rest of the body would keep the process alive.
    if (!message.writableFinished) message.destroy()
  }
}
