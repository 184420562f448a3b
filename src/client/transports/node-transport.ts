import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import {
  defaultIdleTimeoutMs,
  type RequestBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'
import { exchangeError, idleTimeoutError } from './transport-failure.ts'
import { receivedHeaders, sentHeaders } from './wire-headers.ts'

export interface NodeTransportOptions {
  /** How long nothing may move in either direction. Default: 120,000 ms. */
  readonly idleTimeoutMs?: number
  /** Certificate authorities in PEM to trust, in place of the system's. */
  readonly ca?: string
}

/**
 * A transport over Node's own HTTP client: ready in a fraction of undici's start-up time, for programs that make one
 * small call and end. It knows no proxies.
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  const { idleTimeoutMs = defaultIdleTimeoutMs, ca } = options
  return {
    async send(request) {
      // Taken from the module at each request, where tools that intercept requests have put theirs.
      const { request: open } = request.url.startsWith('https:') ? (await import('node:https')).default : http
      try {
        const message = open(request.url, {
          method: request.method,
          headers: sentHeaders(request),
          agent: false,
          ...(ca === undefined ? {} : { ca }),
          ...(request.signal && { signal: request.signal }),
        })
        let timeout: TransportError | undefined
        message.setTimeout(idleTimeoutMs, () => {
          timeout = idleTimeoutError(idleTimeoutMs)
          message.destroy(timeout)
        })
        // An answer that is cut off knows only that, whoever did it.
        return await exchange(message, request, (error) => exchangeError(timeout ?? error, request.signal))
      } catch (error) {
        throw exchangeError(error, request.signal)
      }
    },
  }
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
  return { status: response.statusCode ?? 0, headers: receivedHeaders(response.headers), body }
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
