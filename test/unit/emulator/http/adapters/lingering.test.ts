import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { type ConnectionLimits, defaultLimits } from '../../../../../emulator/http/adapters/connection-limits.ts'
import { discardRest } from '../../../../../emulator/http/adapters/lingering.ts'
import { type ListenOptions, listen } from '../../../../../emulator/http/adapters/node-server.ts'
import type { HttpHandler } from '../../../../../emulator/http-types.ts'
import { until } from '../../../../helpers/until.ts'

/** Answers without reading the body. */
const refuse: HttpHandler = async () => ({ status: 401, headers: { 'Content-Length': '7' }, body: 'refused' })

async function refusing(limits: Partial<ConnectionLimits> = {}, options: ListenOptions = {}): Promise<number> {
  const listener = await listen(refuse, options, { ...defaultLimits, ...limits })
  onTestFinished(() => listener.close())
  return listener.port
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../../../fixtures/tls/${name}`, import.meta.url), 'utf8')
}

const tls = { cert: fixture('certificate.pem'), key: fixture('key.pem') }

const mebibyte = Buffer.alloc(1_048_576)

/** A client on a raw socket, with everything it received and how its connection ended. */
function client(socket: Socket) {
  const seen = { text: '', ended: false, closed: false, error: undefined as NodeJS.ErrnoException | undefined }
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    seen.text += text
  })
  socket.on('end', () => {
    seen.ended = true
  })
  socket.on('error', (error) => {
    seen.error = error
  })
  socket.on('close', () => {
    seen.closed = true
  })
  onTestFinished(() => void socket.destroy())
  const send = (bytes: Buffer) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  return { seen, send, socket }
}

/** Collects the server's sockets from now on. */
function connectionsTaken(): () => readonly Socket[] {
  const sockets: Socket[] = []
  const take = (message: unknown) => void sockets.push((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', take)
  onTestFinished(() => void unsubscribe('http.server.request.start', take))
  return () => sockets
}

function postHead(mebibytes: number): Buffer {
  const head = ['POST / HTTP/1.1', 'Host: h', `Content-Length: ${mebibytes * mebibyte.length}`, 'Connection: close']
  return Buffer.from([...head, '', ''].join('\r\n'))
}

/** A client that has its answer and has still to send this much of its request. */
async function answered(port: number, mebibytes: number) {
  const it = client(connect({ port, host: '127.0.0.1', allowHalfOpen: true }))
  await it.send(postHead(mebibytes))
  await until(() => it.seen.ended)
  expect(it.seen.text).toMatch(/^HTTP\/1\.1 401 [\s\S]*refused$/)
  return it
}

test('with Connection: close, a client sees the end after its answer and may send the rest of its request', async () => {
  const { send, seen, socket } = await answered(await refusing(), 8)
  for (let sent = 0; sent < 8; sent += 1) await send(mebibyte)
  socket.end()
  await until(() => seen.closed)
  expect(seen.error).toBeUndefined()
})

test('over TLS too, a client that was answered early may send the rest of its request', async () => {
  const port = await refusing({}, { tls })
  const address = { port, host: '127.0.0.1', rejectUnauthorized: false, allowHalfOpen: true }
  const { send, seen, socket } = client(connectSecurely(address))
  await send(postHead(8))
  await until(() => seen.ended)
  expect(seen.text).toMatch(/^HTTP\/1\.1 401 [\s\S]*refused$/)
  for (let sent = 0; sent < 8; sent += 1) await send(mebibyte)
  socket.end()
  await until(() => seen.closed)
  expect(seen.error).toBeUndefined()
})

test('a client that stops sending after its answer is disconnected', async () => {
  const port = await refusing({ lingerIdleMs: 20 })
  const taken = connectionsTaken()
  await answered(port, 1)
  await until(() => taken().every((socket) => socket.destroyed))
  expect(taken().length).toBe(1)
})

test.each<[string, Partial<ConnectionLimits>, Buffer]>([
  ['sends a little at a time for too long', { lingerMs: 50 }, Buffer.from('.')],
  ['sends more than is read of an answered request', { lingerBytes: 3 * mebibyte.length }, mebibyte],
])('a client is disconnected after its answer if it %s', async (_, limits, bytes) => {
  const { send, seen } = await answered(await refusing(limits), 1_000)
  await until(async () => {
    await send(bytes)
    return seen.closed
  })
})

test('20,000 early answers on one connection cause no error', () => {
  const socket = new Socket()
  const server = createServer()
  for (let answered = 0; answered < 20_000; answered += 1) {
    const incoming = new IncomingMessage(socket)
    discardRest({ incoming, outgoing: new ServerResponse(incoming), server, limits: defaultLimits })
    incoming.complete = true
  }
  expect(() => socket.destroySoon()).not.toThrow()
  expect(socket.writableEnded).toBe(true)
})
