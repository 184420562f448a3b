import http, { type ClientRequest, type IncomingMessage, OutgoingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkOptions, type OptionChecks } from '../../checks/options.ts'
import { aText } from '../../checks/values.ts'
import { startIdleTimer, systemClock } from '../../clock.ts'
import { createExpectations, isExpectationRefused } from './expectations.ts'
import { type Connection, openConnection } from './open-connection.ts'
import { type ProxyOf, type ProxyOptions, proxyChecks, proxyChoice } from './proxy.ts'
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
import { cutError, exchangeError, idleTimeoutCheck, idleTimeoutError } from './transport-failure.ts'
import { proxyRefusal, type Route, targetOf } from './tunnel.ts'

const { write } = OutgoingMessage.prototype

/** A short process has ended by then, which closes the connection too: doing so takes it a millisecond. */
const CLOSED_AFTER_MS = 50

/** A fast connection takes chunk after chunk within one turn of the event loop: after so many bytes an early answer is heard. */
const TURN_BYTES = 4_194_304

export interface NodeTransportOptions extends ProxyOptions {
  /** How long no byte may move in either direction; connecting takes 10 s at most. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number | undefined
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string | undefined
}

const optionChecks: OptionChecks<NodeTransportOptions> = { idleTimeoutMs: idleTimeoutCheck, ca: aText, ...proxyChecks }

/**
 * A transport over Node's own HTTP client. It loads in a fraction of undici's time, opens a connection for each request
 * and resets it when the request is aborted.
 *
 * @throws TypeError for an unknown option, by the nearest name, and if the given proxy cannot be used
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  checkOptions('nodeTransport', options, optionChecks, { instead: { dispatcher: 'undiciTransport takes one' } })
  return nodeTransportThrough(proxyChoice(options), options)
}

/** {@link nodeTransport} through the proxies that a function names. */
export function nodeTransportThrough(
  proxyOf: ProxyOf,
  { idleTimeoutMs = defaultIdleTimeoutMs, ca }: Pick<NodeTransportOptions, 'idleTimeoutMs' | 'ca'>,
): Transport {
  const expectations = createExpectations()
  const schemes = createSchemeProbe()

  async function sendOnce(route: Route, request: TransportRequest, headers: Record<string, string>) {
    const { url, proxy } = route
    const { signal, body } = request
    let timeout: TransportError | undefined
    // The error of a reset connection does not say why it was reset.
    const explain = (error: unknown) => exchangeError(timeout ?? error, signal)
    // Read from the module at each request, because tools that intercept requests replace it.
    const { request: open } = url.protocol === 'https:' ? (await import('node:https')).default : http
    signal?.throwIfAborted()
    const target = targetOf(route)
    let connection: Connection | undefined
    let socket: Socket | undefined
    const message = open(url, {
      method: request.method,
      // With `close`, a server closes while a refused body still arrives, and its answer is lost.
      headers: { ...headers, ...target.headers, connection: 'keep-alive' },
      // Without an agent, Node would write it into the header Host.
      defaultPort: url.protocol === 'https:' ? 443 : 80,
      createConnection(_, onOpen) {
        const onFirstByte = (byte: number) => schemes.heard(url, byte)
        connection = openConnection({ url, proxy, ca, idleTimeoutMs, onFirstByte })
        connection.ready.then(
          (stream) => {
            socket = stream
            message.once('close', () => {
              // A stream that a tool puts in a socket's place may have no such method.
              stream.unref?.()
              startIdleTimer(systemClock, CLOSED_AFTER_MS, () => stream.destroy())
            })
            onOpen(null, stream)
          },
          (error) => onOpen(error, undefined as never),
        )
        return undefined
      },
    })
    // Not by the options: tools that intercept requests read those.
    message.path = target.path
    let isOver = false
    const giveUp = () => {
      connection?.reset()
      message.destroy()
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    // Never rejects.
    void ended(message).then(() => {
      isOver = true
      signal?.removeEventListener('abort', giveUp)
    })
    let response: IncomingMessage | undefined
    const watchIdle = () => {
      message.setTimeout(idleTimeoutMs, () => {
        // Bytes that have come wait for their reader: the other side is not silent.
        if (response?.readableLength) return watchIdle()
        timeout = idleTimeoutError(idleTimeoutMs)
        giveUp()
      })
    }
    watchIdle()

    /** Reads the first chunk only after the headers have left: a body that was not begun was certainly not sent. */
    async function pump(chunks: RequestBody['chunks']): Promise<void> {
      await headersTaken(message)
      const isFinished = () => isOver || message.destroyed
      if (isFinished() || !(await expectations.allowsBody(message, url)) || isFinished()) return
      // Tools that intercept or record requests put a socket, or a function, of their own here, and may keep what it gets.
      const isLent =
        message.socket === socket && message.write === write && !Object.hasOwn(message.socket ?? {}, 'write')
      if (await writtenAll(message, chunks(isLent), isLent)) message.end()
    }

    const answered = new Promise<TransportResponse>((resolve, reject) => {
      message.once('response', (begun) => {
        response = begun
        resolve(toResponse(message, begun, { explain, isCut: () => connection?.isCut() === true }))
      })
      // Stays for the whole exchange: a connection that breaks after the answer must not crash the process.
      message.on('error', reject)
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
        pump(body.chunks).catch((error) => {
          reject(error)
          message.destroy()
        })
      }
    })
    return await answered.catch((error) => {
      throw explain(error)
    })
  }

  /** Sends once more, without the Expect header, what a server refused for it: unless the body was begun. */
  async function sendExpecting(route: Route, request: TransportRequest, isBegun: () => boolean) {
    const headers = sentHeaders(request)
    const expecting = { ...headers, ...expectations.headersFor(route.url, request.body) }
    const response = await sendOnce(route, request, expecting)
    if (!isExpectationRefused(response, expecting)) return response
    expectations.refused(route.url)
    if (isBegun()) return response
    await leave(response)
    return await sendOnce(route, request, headers)
  }

  return {
    async send(request) {
      const { body, signal } = request
      let isBegun = false
      const chunks = (lends?: boolean) => {
        isBegun = true
        return (body as RequestBody).chunks(lends)
      }
      const sent = body ? { ...request, body: { ...body, chunks } } : request
      const url = new URL(request.url)
      const route = { url, proxy: proxyOf(url) }
      try {
        const response = await sendExpecting(route, sent, () => isBegun)
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

/** Does not ask the socket, because the socket of MSW connects only with the answer. */
function headersTaken(message: ClientRequest): Promise<void> {
  const taken = new Promise<void>((resolve) => {
    message.write('', () => resolve())
  })
  return Promise.race([taken, ended(message)])
}

/**
 * Waits after each chunk of which the connection takes no more for now.
 * @returns false if the exchange is over: the last chunk may still be read then
 */
async function writtenAll(message: ClientRequest, chunks: AsyncIterable<Uint8Array>, isLent: boolean) {
  let [isOver, sinceTurn] = [false, TURN_BYTES]
  let leave = () => {}
  void ended(message).then(() => {
    isOver = true
    leave()
  })
  const written = (chunk: Uint8Array) =>
    new Promise<boolean>((resolve) => {
      leave = () => resolve(false)
      const hasRoom = message.write(chunk, (error) => resolve(!error))
      if (hasRoom && !isLent) resolve(true)
    })
  for await (const chunk of chunks) {
    sinceTurn += chunk.length
    if (sinceTurn >= TURN_BYTES) {
      await nextTurn()
      sinceTurn = 0
    }
    if (isOver || message.destroyed || !(await written(chunk))) return false
  }
  return true
}

/** Without a connection there is an error, but no close. */
function ended(message: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    message.once('close', resolve)
    message.once('error', () => resolve())
  })
}

function toResponse(
  message: ClientRequest,
  response: IncomingMessage,
  { explain, isCut }: { explain(error: unknown): unknown; isCut(): boolean },
): TransportResponse {
  const failures: NodeJS.ErrnoException[] = []
  message.on('error', (error) => failures.push(error))
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* response
      // Node also takes a broken connection for the end of an answer that ends with the connection.
      if ((failures.length > 0 || isCut()) && isEndedByClose(response.headers)) throw failures[0] ?? cutError()
    } catch (error) {
      // Of a body that its parser cannot read, Node's response only knows that it ended.
      throw explain(failures.find(({ code }) => code?.startsWith('HPE_')) ?? error)
    } finally {
      // After an early answer, the unsent rest of the body would keep the process alive.
      if (!message.writableFinished) message.destroy()
    }
  }
  return { status: response.statusCode ?? 0, headers: receivedHeaders(response.headersDistinct), body: read() }
}
