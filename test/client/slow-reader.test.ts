import { createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listening } from '../helpers/listening.ts'
import { socketTransports, tls } from './every-transport.ts'

/** What undici leaves unread before it makes a connection wait. */
const ENOUGH = 65_536
const MB = 1_048_576

/** Answers each request by a function, which also gets the connection below TLS, and tells when it has written all. */
async function server(write: (socket: Socket, connection: Socket) => void, scheme = 'http') {
  const written = Promise.withResolvers<void>()
  const connections: Socket[] = []
  const answer = (socket: Socket) => {
    socket
      .on('error', () => {})
      .on('data', (data) => {
        if (data.includes('GET ')) write(socket, connections.at(-1) ?? socket)
      })
    socket.once('finish', written.resolve)
  }
  const server = scheme === 'http' ? createServer(answer) : createTlsServer(tls, answer)
  server.on('connection', (connection) => connections.push(connection))
  const url = `${scheme}://127.0.0.1:${await listening(server)}/`
  return { request: { method: 'GET', url, headers: {} }, written }
}

/** The other side's bytes, and their end, arrive meanwhile. */
async function turns(count = 30) {
  for (let turn = 0; turn < count; turn += 1) await nextTurn()
}

/** Reads slowly. @returns how many bytes */
async function slowly(body: AsyncIterable<Uint8Array>): Promise<number> {
  let [bytes, chunks] = [0, 0]
  for await (const chunk of body) {
    bytes += chunk.length
    if (chunks++ < 10) await turns()
  }
  return bytes
}

/** The exceptions that would have ended the process during this test. */
function crashes(): readonly unknown[] {
  const found: unknown[] = []
  const usual = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => found.push(error))
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException')
    for (const listener of usual) process.on('uncaughtException', listener)
  })
  return found
}

describe.each(socketTransports)('over the %s transport', (name, create) => {
  test.each(
    [ENOUGH, 3 * MB + 17].flatMap((size) => [
      [size, 'no length', 'Connection: close'] as const,
      [size, 'no length and no word of its end', 'Server: x'] as const,
      [size, 'its length', `Content-Length: ${size}\r\nConnection: close`] as const,
      // undici may call it cut whose reader pauses before the very end, as docs/library.md says.
      ...(name === 'node' ? [[size, 'its length and no word of its end', `Content-Length: ${size}`] as const] : []),
      [size, 'chunks', 'Transfer-Encoding: chunked\r\nConnection: close'] as const,
    ]),
  )(
    'a slow reader gets all %d bytes of an answer with %s whose server closes, and the process lives',
    async (size, _, head) => {
      const found = crashes()
      const { request, written } = await server((socket) => {
        const bytes = Buffer.alloc(Number(size), 'x')
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`)
        if (!String(head).includes('chunked')) return void socket.end(bytes)
        for (let at = 0; at < bytes.length; at += 10_000) {
          const part = bytes.subarray(at, at + 10_000)
          socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
        }
        socket.end('0\r\n\r\n')
      })
      const { body } = await create().send(request)
      if (size === ENOUGH) await written.promise
      await turns()
      expect(await slowly(body)).toBe(size)
      expect(found).toEqual([])
    },
  )

  test.each([
    [100, 'http'],
    [ENOUGH, 'http'],
    [200_000, 'http'],
    [3 * MB, 'http'],
    [100, 'https'],
    [3 * MB, 'https'],
  ])(
    'an answer of %d bytes without a length whose connection over %s is reset is never whole',
    async (size, scheme) => {
      const { request } = await server((socket, connection) => {
        socket.write('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
        // At once, so that the last bytes arrive together with the reset.
        socket.write(Buffer.alloc(size, 'x'), () => connection.resetAndDestroy())
      }, scheme)
      const reading = create({ ca: tls.cert })
        .send(request)
        .then(({ body }) => slowly(body))
      await expect(reading).rejects.toMatchObject({ name: 'TransportError', failure: 'interrupted' })
    },
  )

  test('a refusal without a length is read to its end, though its connection is reset', async () => {
    const { request } = await server((socket) => {
      const refusal = 'HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nno'
      socket.write(refusal, () => socket.resetAndDestroy())
    })
    const { body } = await create().send(request)
    let text = ''
    const reading = async () => {
      for await (const chunk of body) text += Buffer.from(chunk)
    }
    await expect(reading()).rejects.toMatchObject({ failure: 'interrupted' })
    expect(text).toBe('no')
  })

  test('an answer without a reader stays mostly in the network, and a later reader gets it whole', async () => {
    const size = 48 * MB
    let sent = () => 0
    const { request } = await server((socket) => {
      sent = () => socket.bytesWritten - socket.writableLength
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
      for (let left = size; left > 0; left -= MB) socket.write(Buffer.alloc(MB))
    })
    const { body } = await create().send(request)
    for (let before = -1; before < sent(); await turns(200)) before = sent()
    expect(sent()).toBeLessThan(24 * MB)
    expect(await slowly(body)).toBe(size)
  })

  test('the answer after one that its reader has not finished reaches a reader of its own', async () => {
    const { request } = await server((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${ENOUGH}\r\n\r\n`)
      socket.write(Buffer.alloc(ENOUGH))
    })
    const transport = create()
    const first = await transport.send(request)
    await turns()
    const second = await transport.send(request)
    expect(await slowly(second.body)).toBe(ENOUGH)
    expect(await slowly(first.body)).toBe(ENOUGH)
  })
})
