import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import { type NodeConnection, openConnection } from './node-connection.ts'
import {
  defaultIdleTimeoutMs,
  type RequestBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { connectTimeoutError, exchangeError, idleTimeoutError } from './transport-failure.ts'
import { receivedHeaders, sentHeaders } from './wire-headers.ts'

export interface NodeTransportOptions {
  /** How long nothing may move in either direction; to connect it takes 10 s at most. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number
  /** Certificate authorities in PEM to trust, in place of the system's. */
  readonly ca?: string
}

/**
 * A transport over Node's own HTTP client: ready in a fraction of undici's start-up time, with a connection for each
 * request, which is reset where the request is given up. It knows no proxies.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs, ca } = options
  return {
    async send(request) {
      const { signal } = request
      let timeout: TransportError | undefined
      // A connection that was given up knows only that it ended, whoever did it.
      const explain = (error: unknown) => exchangeError(timeout ?? error, signal)
      try {
        const url = new URL(request.url)
        const tls = url.protocol === 'https:' ? await import('node:tls') : undefined
        // Taken from the module at each request, where tools that intercept requests have put theirs.
        const { request: open } = tls ? (await import('node:https')).default : http
        signal?.throwIfAborted()
        let connection: NodeConnection | undefined
        const message = open(url, {
          method: request.method,
          headers: sentHeaders(request),
          createConnection() {
            connection = openConnection(url, { ca, tls })
            return connection.stream
          },
        })
        const giveUp = () => {
          connection?.reset()
          message.destroy()
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        message.once('close', () => signal?.removeEventListener('abort', giveUp))
        limitSilence(message, idleTimeoutMs, (error) => {
          timeout = error
          giveUp()
        })
        return await exchange(message, request, explain)
      } catch (error) {
        throw explain(error)
      }
    },
  }
}

/** Without this the system decides how long it tries to connect, which is minutes. */
const LONGEST_CONNECT_MS = 10_000

function limitSilence(message: ClientRequest, idleTimeoutMs: number, giveUp: (error: TransportError) => void): void {
  message.once('socket', (socket) => {
    if (socket.connecting) socket.setTimeout(Math.min(idleTimeoutMs, LONGEST_CONNECT_MS))
  })
  // Takes the other's place once there is a connection.
  message.setTimeout(idleTimeoutMs, () => {
    const isConnecting = message.socket?.connecting ?? true
    giveUp(isConnecting ? connectTimeoutError() : idleTimeoutError(idleTimeoutMs))
  })
}

/** What an error of an exchange really says. */
type Explain = (error: unknown) => unknown

function exchange(message: ClientRequest, request: TransportRequest, explain: Explain): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    message.once('response', (response) => resolve(toResponse(message, response, explain)))
    // Stays for the whole exchange: a connection that breaks after the answer must not bring the process down.
    message.on('error', reject)
    // The only word of an answer that is none, such as a change to another protocol.
    message.once('close', () =>
      reject(new TransportError('interrupted', 'the connection was closed without an answer')),
    )
    if (request.body) {
      pump(message, request.body).catch((error) => {
        reject(error)
        message.destroy()
      })
    } else {
      message.end()
    }
  })
}

/** Asks for the first chunk once the connection has taken the headers: what was not asked for has not been sent. */
async function pump(message: ClientRequest, body: RequestBody): Promise<void> {
  await headersTaken(message)
  if (message.destroyed) return
  for await (const chunk of body.chunks()) {
    if (message.destroyed) return
    if (!message.write(chunk)) await drained(message)
  }
  message.end()
}

/** Not what the socket says of itself: one that MSW puts in its place connects only with the answer. */
function headersTaken(message: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    message.once('close', resolve)
    message.write('', () => resolve())
  })
}

function drained(message: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      message.off('drain', done).off('close', done)
      resolve()
    }
    message.on('drain', done).on('close', done)
  })
}

function toResponse(message: ClientRequest, response: IncomingMessage, explain: Explain): TransportResponse {
  const body = readable(response, explain, () => {
    // After an early answer the rest of the body has nowhere to go, and would keep the process waiting for it.
    if (!message.writableFinished) message.destroy()
  })
  return { status: response.statusCode ?? 0, headers: receivedHeaders(response.headersDistinct), body }
}

async function* readable(
  response: IncomingMessage,
  explain: Explain,
  whenRead: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response
  } catch (error) {
    throw explain(error)
  } finally {
    whenRead()
  }
}
