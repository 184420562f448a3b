import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { toFetch } from '../../../../../emulator/http/adapters/fetch-adapter.ts'
import { listen } from '../../../../../emulator/http/adapters/node-server.ts'
import type { HttpHandler, ReplyBody } from '../../../../../emulator/http-types.ts'
import { until } from '../../../../helpers/until.ts'

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
  (body: ReplyBody): HttpHandler =>
  () =>
    Promise.resolve({ status: 200, headers: {}, body })

async function listening(handle: HttpHandler): Promise<string> {
  const listener = await listen(handle, {})
  onTestFinished(() => listener.close())
  return listener.baseUrl
}

test.each<[string, () => ReplyBody, string]>([
  ['text', () => 'häppy', 'häppy'],
  ['bytes', () => Buffer.from('bytes'), 'bytes'],
  ['a source', () => watchedSource(3, Buffer.from('ab')).source, 'ababab'],
  ['nothing', () => null, ''],
])('a reply body of %s arrives on a socket and in the same process', async (_, body, arrived) => {
  expect(await (await fetch(await listening(answering(body())))).text()).toBe(arrived)
  expect(await (await toFetch(answering(body()))(new Request('http://h/'))).text()).toBe(arrived)
})

function open(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get(url, resolve).on('error', reject))
}

test('a source is read only as fast as the client reads, and closed when the client disconnects', async () => {
  const { watched, source } = watchedSource(10_000, Buffer.alloc(1_048_576))
  const response = await open(await listening(answering(source)))
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
  let departed = false
  let asked = false
  const url = await listening(async ({ clientGone }) => {
    asked = true
    await new Promise((resolve) => clientGone?.().addEventListener('abort', resolve))
    departed = true
    return { status: 200, headers: {}, body: 'too late' }
  })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
  await until(() => asked)
  socket.destroy()
  await until(() => departed)
})

test('a source that fails breaks the connection, so that a partial file does not look complete', async () => {
  async function* failing() {
    yield Buffer.from('half')
    await nextTurn()
    throw new Error('the disk is gone')
  }
  const handle: HttpHandler = async () => ({ status: 200, headers: { 'Content-Length': '8' }, body: failing() })
  const response = await open(await listening(handle))
  await expect(text(response)).rejects.toThrow('aborted')
  await expect((await toFetch(handle)(new Request('http://h/'))).text()).rejects.toThrow('the disk is gone')
})

test('a connection stays usable after a streamed answer', async () => {
  const url = await listening(async () => {
    return { status: 200, headers: {}, body: watchedSource(2, Buffer.from('ab')).source }
  })
  const ports = new Set<number | undefined>()
  for (let count = 0; count < 3; count += 1) {
    const response = await open(url)
    ports.add(response.socket.localPort)
    await text(response)
  }
  expect(ports.size).toBe(1)
})

test('a streamed answer is completed when the server closes, and then its connection ends', async () => {
  // More than sockets buffer, and little enough to be read within the 5 s of a closing server on a busy machine.
  const { watched, source } = watchedSource(24, Buffer.alloc(1_048_576))
  const listener = await listen(answering(source), {})
  const response = await open(listener.baseUrl)
  await until(() => watched.asked > 1)
  const closed = listener.close()
  expect(watched.closed).toBe(false)
  expect((await buffer(response)).length).toBe(24 * 1_048_576)
  await closed
})

test('in the same process a source is read only on demand, and closed when cancelled', async () => {
  const { watched, source } = watchedSource(10, Buffer.from('ab'))
  const response = await toFetch(answering(source))(new Request('http://h/'))
  await nextTurn()
  expect(watched.asked).toBe(0)
  const reader = response.body?.getReader()
  await reader?.read()
  expect(watched.asked).toBe(1)
  await reader?.cancel()
  expect(watched.closed).toBe(true)
})

test('in the same process an abort closes the source and rejects the reader with its reason', async () => {
  const { watched, source } = watchedSource(10, Buffer.from('ab'))
  const controller = new AbortController()
  const response = await toFetch(answering(source))(new Request('http://h/', { signal: controller.signal }))
  const reader = response.body?.getReader()
  await reader?.read()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(reader?.read()).rejects.toBe(reason)
  await until(() => watched.closed)
})
