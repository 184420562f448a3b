import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { closeGraceMs } from '../../../../emulator/http.ts'
import type { FaultAction } from '../../../../emulator/index.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'
import { tlsFiles as tls } from '../../../helpers/tls.ts'
import { until } from '../../../helpers/until.ts'
import { emulated, send } from '../emulated.ts'
import { served } from './served.ts'

/** A connection that has sent this. */
async function connected(port: number, sent = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve))
  return socket
}

/** The same until its answer has begun, which stays unread. */
async function asked(port: number, line: string, ...headers: readonly string[]): Promise<Socket> {
  const head = [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', '']
  const socket = await connected(port, head.join('\r\n'))
  await once(socket, 'readable')
  return socket
}

const shaken = async (port: number) => {
  const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
}
const preflight = ['Origin: http://a.example', 'Access-Control-Request-Method: POST']

test.each<[kind: string, open: (port: number) => Promise<unknown>, options?: { readonly tls: typeof tls }]>([
  ['asked nothing', connected],
  ['sent half a head', (port) => connected(port, 'POST /api/upload HTTP/1.1\r\nHost: h\r\nContent-Le')],
  ['is kept after its answer', (port) => asked(port, 'GET /api/stats')],
  ['is kept after a preflight', (port) => asked(port, 'OPTIONS /api/upload', ...preflight)],
  ['is kept after the head of an answer', (port) => asked(port, 'HEAD /')],
  ['follows the log', (port) => asked(port, 'GET /_emulator/requests/stream')],
  ['has begun its TLS handshake', (port) => connected(port, '\x16\x03\x01'), { tls }],
  ['has made its TLS handshake', shaken, { tls }],
])('closing does not wait for a connection that %s', async (_, open, options = undefined) => {
  const emulator = await emulated({ clock: 'system' })
  const { port } = await emulator.listen(options)
  await open(port)
  await nextTurn()
  // The time that requests in progress get never ends.
  fakeTimers('setTimeout')
  await emulator.close()
})

test('closing does not wait for a stream of events whose reader has stopped', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1_048_576)
  }
  const headers = { 'Content-Type': 'text/event-stream' }
  const { port, close } = await served(async () => ({ status: 200, headers, body: endless() }))
  await asked(port, 'GET /')
  fakeTimers('setTimeout')
  await close()
})

const day = 86_400_000

test.each<[FaultAction, number | undefined]>([
  [{ type: 'delay', ms: day }, undefined],
  [{ type: 'slow_body', ms: day }, 200],
])('closing breaks an answer that the fault %j holds back, at once', async (action, status) => {
  const emulator = await emulated({ clock: 'system' })
  const { baseUrl } = await emulator.listen()
  emulator.control.faults.set([{ action, times: null }])
  const headers = { 'X-Api-Key': emulator.apiKey }
  const seen = (answer: Response) => answer.text().then(String, () => answer.status)
  const asking = [fetch(`${baseUrl}/api/stats`, { headers }), send(emulator, 'GET', '/api/stats')]
  const outcomes = Promise.all(asking.map((answer) => answer.then(seen, () => undefined)))
  await until(() => emulator.control.faults.list()[0]?.struck === 2)
  await (status === undefined ? undefined : Promise.all(asking))
  fakeTimers('setTimeout')
  await emulator.close()
  expect(await outcomes).toEqual([status, status])
})

test('closing gives an answer that the service only delays, at once', async () => {
  const quotas = { burst: null, minute: 10, hour: null, day: null }
  const emulator = await emulated({ clock: 'system', quotas })
  const { baseUrl } = await emulator.listen()
  const ask = () => fetch(`${baseUrl}/api/stats`, { headers: { 'X-Api-Key': emulator.apiKey } })
  for (let sent = 0; sent < 8; sent += 1) await (await ask()).text()
  fakeTimers('setTimeout')
  const delayed = ask()
  await until(() => emulator.control.accounts.quota(1).minute.used === 9)
  await emulator.close()
  expect((await delayed).status).toBe(200)
})

test('closing gives half an upload its five seconds', async () => {
  const emulator = await emulated({ clock: 'system' })
  const { port } = await emulator.listen()
  const head = ['POST /api/upload HTTP/1.1', 'Host: h', `X-Api-Key: ${emulator.apiKey}`, 'Content-Length: 99']
  const type = 'Content-Type: multipart/form-data; boundary=b'
  const socket = await connected(port, [...head, type, '', '--b'].join('\r\n'))
  await until(() => emulator.control.accounts.quota(1).burst.used === 10)
  fakeTimers('setTimeout')
  const ends = { closed: false, cut: false }
  socket.on('close', () => Object.assign(ends, { cut: true })).resume()
  const closing = emulator.close().then(() => Object.assign(ends, { closed: true }))
  await vi.advanceTimersByTimeAsync(closeGraceMs - 1)
  expect(ends).toEqual({ closed: false, cut: false })
  await vi.advanceTimersByTimeAsync(1)
  await closing
  await until(() => ends.cut)
})

function warnings() {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warned.mockRestore())
  return warned
}

const form = { 'Content-Type': 'multipart/form-data; boundary=b' }
const stalled = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })

test.each<[string, (emulator: Awaited<ReturnType<typeof emulated>>) => Promise<Response>]>([
  ['an upload whose stream stalls', (it) => send(it, 'POST', '/api/upload', { headers: form, body: stalled() })],
  ['a control call whose stream stalls', (it) => send(it, 'POST', '/_emulator/accounts', { body: stalled() })],
])('%s does not keep an emulator from closing: after five seconds its connection is broken', async (_, ask) => {
  const emulator = await emulated({ clock: 'system' })
  fakeTimers('setTimeout', 'clearTimeout')
  const answer = ask(emulator).catch((error: unknown) => error)
  await nextTurn()
  const closed = emulator.close()
  await vi.advanceTimersByTimeAsync(closeGraceMs)
  await closed
  expect(await answer).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
})

test('a listener that opens while the emulator closes is closed again', async () => {
  const emulator = await emulated()
  const opening = emulator.listen()
  const closed = emulator.close()
  await expect(opening).rejects.toThrow('The emulator is closed')
  await closed
})

test('a body that yields what is no bytes is refused with the platform’s own words', async () => {
  const text = new ReadableStream({ start: (stream) => stream.enqueue(5) })
  const sent = send(await emulated(), 'POST', '/api/upload', { headers: form, body: text })
  await expect(sent).rejects.toMatchObject({ name: 'TypeError', cause: { message: 'Received non-Uint8Array chunk' } })
})

test('a control call whose client disconnects is no error of the emulator and causes no warning', async () => {
  const warned = warnings()
  const gone = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(new Error('gone')) })
  await expect(send(await emulated(), 'POST', '/_emulator/accounts', { body: gone })).rejects.toThrow('fetch failed')
  expect(warned).not.toHaveBeenCalled()
})
