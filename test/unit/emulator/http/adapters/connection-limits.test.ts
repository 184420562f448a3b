import { expect, test } from 'vitest'
import type { HttpHandler } from '../../../../../emulator/http-types.ts'
import { until } from '../../../../helpers/until.ts'
import { rawClient, served } from './served.ts'

/** Answers with the length of the body. */
const measure: HttpHandler = async ({ body }) => {
  let length = 0
  for await (const chunk of body) length += chunk.length
  return { status: 200, headers: {}, body: String(length) }
}

const halfRequest = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf'

test('clients that send no whole head of a request are disconnected after the time limit', async () => {
  const { port } = await served(measure, { headersMs: 100 })
  const clients = ['', 'POST / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nHost: h'].map((text) => rawClient(port, text))
  await until(() => clients.every(({ seen }) => seen.ended || seen.closed))
})

test('a client that stops sending its body is disconnected, and the handler gets an error', async () => {
  let heard = ''
  const handle: HttpHandler = (request) =>
    measure(request).catch((error: Error) => {
      heard = error.message
      throw error
    })
  const { seen } = rawClient((await served(handle, { idleMs: 50 })).port, halfRequest)
  await until(() => seen.ended || seen.closed)
  expect(heard).toBe('aborted')
})

test('a client that waits longer for its handler than a body may pause still gets its answer', async () => {
  let hasWaited = false
  const handle: HttpHandler = async (request) => {
    for await (const _ of request.body) break
    // Longer than the limit, measured by the same timers.
    await new Promise((resolve) => setTimeout(resolve, 40))
    hasWaited = true
    return measure(request)
  }
  const { seen, send } = rawClient((await served(handle, { idleMs: 10 })).port, halfRequest)
  await until(() => hasWaited)
  await send('second')
  await until(() => seen.text !== '')
  expect(seen.text).toMatch(/^HTTP\/1\.1 200/)
})

test('a client that stops reading a long answer is disconnected, and the answer’s source is closed', async () => {
  let closed = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(1_048_576)
    } finally {
      closed = true
    }
  }
  const { port } = await served(async () => ({ status: 200, headers: {}, body: endless() }), { idleMs: 50 })
  rawClient(port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n').socket.pause()
  await until(() => closed)
})
