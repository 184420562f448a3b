import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type Step = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * A real HTTP server that handles the first request with the first step, and so on; the last step handles all further
 * requests. It is closed when the test ends.
 */
export async function scriptedServer(...steps: readonly Step[]) {
  const requests: SeenRequest[] = []
  let connections = 0
  let next = 0
  const server = createServer(async (request, response) => {
    const step = steps[Math.min(next, steps.length - 1)]
    next += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      requests.push({ method, url, headers, body: Buffer.concat(chunks) })
    })
    await step?.(request, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  return { baseUrl: `http://127.0.0.1:${await listening(server)}`, requests, connections: () => connections }
}

/** A step that reads the request to its end and answers with JSON. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return async (request, response) => {
    if (!request.readableEnded) await new Promise((resolve) => request.once('end', resolve))
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'Content-Type': type, ...headers }).end(text)
  }
}

/** A step that reads the request to its end, says this without any framing of its own, and closes. */
export function saying(text: string): Step {
  return async (request) => {
    if (!request.readableEnded) await once(request, 'end')
    request.socket.end(text)
  }
}

/** An answer that no HTTP parser takes. */
export const twoLengths = saying('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')

/** A step that resets the connection once this many bytes of the body have arrived; by default, after the whole body. */
export function breakOff(afterBytes = Number.POSITIVE_INFINITY): Step {
  return (request) => {
    let seen = 0
    const cut = () => void request.socket.resetAndDestroy()
    request.on('data', (chunk: Buffer) => {
      seen += chunk.length
      if (seen >= afterBytes) cut()
    })
    request.once('end', cut)
  }
}

/** A step that answers only after the test calls `release`; `reached` resolves once the request has arrived. */
export function held(status: number, body: unknown) {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const step: Step = async (request, response) => {
    request.resume()
    await once(request, 'end')
    reached.resolve()
    await released.promise
    await answer(status, body)(request, response)
  }
  return { step, reached: reached.promise, release: released.resolve }
}
