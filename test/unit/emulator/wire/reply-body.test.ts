import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { HttpHandler, ResponseBody } from '../../../../emulator/http.ts'
import { toFetch } from '../../../../emulator/wire/fetch.ts'
import { until } from '../../../helpers/until.ts'
import { rawClient, served } from './served.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A source that records how much was read and whether it was closed. */
function watchedSource(chunks: number, chunk: Uint8Array) {
  const watched = { asked: 0, closed: false }
  async function* generate() {
    try {
      while (watched.asked < chunks) {
        watched.asked += 1
        yield chunk
      }
    } finally {
      watched.closed = true
    }
  }
  return { watched, source: generate() }
}

const answering =
  (body: ResponseBody, headers = {}): HttpHandler =>
  () =>
    Promise.resolve({ status: 200, headers, body })
const mebibyte = Buffer.alloc(1_048_576)

/** The answer of a server, once its headers have arrived. */
async function opened(handle: HttpHandler): Promise<IncomingMessage> {
  const { baseUrl } = await served(handle)
  return new Promise((resolve, reject) => get(baseUrl, resolve).on('error', reject))
}

const inProcess = (handle: HttpHandler, init?: RequestInit) => toFetch(handle)(new Request('http://h/', init))

test('a source is read only as fast as the client reads, and closed when the client disconnects', async () => {
  const { watched, source } = watchedSource(10_000, mebibyte)
  const response = await opened(answering(source))
  await until(() => watched.asked > 1)
  let before = -1
  while (before !== watched.asked) {
    before = watched.asked
    for (let turn = 0; turn < 200; turn += 1) await nextTurn()
  }
  expect(watched.asked).toBeLessThan(50)
  response.destroy()
  await until(() => watched.closed)
})

test('clientGone aborts when a client disconnects before its answer', async () => {
  const seen = { asked: false, departed: false }
  const { port } = await served(async ({ clientGone }) => {
    seen.asked = true
    await new Promise((resolve) => clientGone?.().addEventListener('abort', resolve))
    seen.departed = true
    return { status: 200, headers: {}, body: 'too late' }
  })
  const { socket } = rawClient(port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => seen.asked)
  socket.destroy()
  await until(() => seen.departed)
})

test('a source that fails breaks the connection, so that a partial file does not look complete', async () => {
  async function* failing() {
    yield Buffer.from('half')
    await nextTurn()
    throw new Error('the disk is gone')
  }
  const handle = () => answering(failing(), { 'Content-Length': '8' })
  await expect(text(await opened(handle()))).rejects.toThrow('aborted')
  await expect((await inProcess(handle())).text()).rejects.toThrow('the disk is gone')
})
