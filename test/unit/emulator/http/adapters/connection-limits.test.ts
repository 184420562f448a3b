import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, defaultLimits } from '../../../../../emulator/http/adapters/connection-limits.ts'
import { listen } from '../../../../../emulator/http/adapters/node-server.ts'
import type { HttpHandler } from '../../../../../emulator/http-types.ts'
import { until } from '../../../../helpers/until.ts'

async function listening(limits: Partial<ConnectionLimits>, handle: HttpHandler): Promise<number> {
  const listener = await listen(handle, {}, { ...defaultLimits, ...limits })
  onTestFinished(() => listener.close())
  return listener.port
}

/** Answers with the length of the body. */
const measure: HttpHandler = async ({ body }) => {
  let length = 0
  for await (const chunk of body) length += chunk.length
  return { status: 200, headers: {}, body: String(length) }
}

/** A connection that sends only this text. */
function half(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket.on('error', () => {}).resume()
  onTestFinished(() => void socket.destroy())
  return socket
}

const halfRequests: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a request line', 'POST /api/upload HTTP/1.1\r\n'],
  ['headers without an end', 'POST /api/upload HTTP/1.1\r\nHost: h\r\nX-Api-Key: k'],
]

test.each(halfRequests)('a hundred clients that send %s are disconnected after the time limit', async (_, text) => {
  const port = await listening({ headersMs: 100 }, measure)
  const clients = Array.from({ length: 100 }, () => half(port, text))
  await until(() => clients.every(({ closed }) => closed))
})

test('a client that stops sending its body is disconnected, and the handler gets an error', async () => {
  let heard = ''
  const port = await listening({ idleMs: 50 }, (request) =>
    measure(request).catch((error: Error) => {
      heard = error.message
      throw error
    }),
  )
  const client = half(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
  await until(() => client.closed)
  expect(heard).toBe('aborted')
})

test('a client that waits longer for its handler than a body may pause still gets its answer', async () => {
  const waited = new AbortController()
  const port = await listening({ idleMs: 10 }, async (request) => {
    for await (const _ of request.body) break
    // Longer than the limit, measured by the same timers.
    await new Promise((resolve) => setTimeout(resolve, 40))
    waited.abort()
    return measure(request)
  })
  const client = half(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
  let seen = ''
  client.on('data', (chunk) => {
    seen += chunk
  })
  await until(() => waited.signal.aborted)
  client.write('second')
  await until(() => seen !== '')
  expect(seen).toMatch(/^HTTP\/1\.1 200/)
})

test('a client that stops reading a long answer is disconnected, and the answer’s source is closed', async () => {
  let closed = false
  const port = await listening({ idleMs: 50 }, async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      try {
        for (;;) yield Buffer.alloc(1_048_576)
      } finally {
        closed = true
      }
    })(),
  }))
  const client = half(port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  client.pause()
  await until(() => closed)
})
