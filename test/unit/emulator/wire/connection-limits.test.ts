import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import type { HttpHandler } from '../../../../emulator/http.ts'
import type { ConnectionLimits } from '../../../../emulator/wire/socket.ts'
import { until } from '../../../helpers/until.ts'
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
  const handle: HttpHandler = async (request) => {
    const fail = (error: Error) => {
      heard = error.message
      throw error
    }
    return Promise.resolve(measure(request)).catch(fail)
  }
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

/** Answers without reading the body. */
const refuse: HttpHandler = async () => ({ status: 401, headers: { 'Content-Length': '7' }, body: 'refused' })

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const tls = { cert: fixture('certificate.pem'), key: fixture('key.pem') }

const mebibyte = Buffer.alloc(1_048_576)

/** A client that has its answer and has still to send this much of its request. */
async function answered(to: Parameters<typeof rawClient>[0], mebibytes: number) {
  const lines = ['POST / HTTP/1.1', 'Host: h', `Content-Length: ${mebibytes * mebibyte.length}`, 'Connection: close']
  const client = rawClient(to, [...lines, '', ''].join('\r\n'))
  await until(() => client.seen.ended)
  expect(client.seen.text).toMatch(/^HTTP\/1\.1 401 [\s\S]*refused$/)
  return client
}

test.each(['plain', 'TLS'])('over %s, a client sees the end after its answer and may send the rest', async (kind) => {
  const { port } = await served(refuse, {}, kind === 'TLS' ? { tls } : {})
  const secure = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true }
  const { send, seen, socket } = await answered(kind === 'TLS' ? connectSecurely(secure) : port, 8)
  for (let sent = 0; sent < 8; sent += 1) await send(mebibyte)
  socket.end()
  await until(() => seen.closed)
  expect(seen.error).toBeUndefined()
})

test('a client that stops sending after its answer is disconnected', async () => {
  const { port } = await served(refuse, { lingerIdleMs: 20 })
  const taken: Socket[] = []
  const take = (message: unknown) => void taken.push((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', take)
  onTestFinished(() => void unsubscribe('http.server.request.start', take))
  await answered(port, 1)
  await until(() => taken.every((socket) => socket.destroyed))
  expect(taken.length).toBe(1)
})

test.each<[string, Partial<ConnectionLimits>, Buffer]>([
  ['sends a little at a time for too long', { lingerMs: 50 }, Buffer.from('.')],
  ['sends more than is read of an answered request', { lingerBytes: 3 * mebibyte.length }, mebibyte],
])('a client is disconnected after its answer if it %s', async (_, limits, bytes) => {
  const { send, seen } = await answered((await served(refuse, limits)).port, 1_000)
  await until(async () => {
    await send(bytes)
    return seen.closed
  })
})
