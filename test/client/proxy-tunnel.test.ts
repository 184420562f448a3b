import { createServer, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { bodyOf, socketTransports } from './every-transport.ts'

/** A proxy that treats every connection the same; counts the requests for a tunnel. */
async function evilProxy(behave: (socket: Socket) => void) {
  let asked = 0
  const server = createServer((socket) => {
    socket.once('data', (data: Buffer) => {
      if (data.toString('latin1').startsWith('CONNECT ')) asked += 1
      behave(socket)
    })
  })
  return { proxy: `http://127.0.0.1:${await listening(server)}`, asked: () => asked }
}

const account = { baseUrl: 'https://files.example', apiKey: 'k' }

const page = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
function lying(socket: Socket): void {
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  socket.on('data', () => socket.end(page))
}

const endings: readonly (readonly [string, (socket: Socket) => void, RegExp])[] = [
  ['resets the connection', (socket) => socket.resetAndDestroy(), /closed the connection instead of opening a tunnel/],
  ['ends it amid a status line', (socket) => socket.end('HTTP/1.1 2'), /closed the connection instead of/],
  ['answers 407', (socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'), /asks for a user name and a password/],
  ['answers 502', (socket) => socket.end('HTTP/1.1 502 No\r\n\r\n'), /answered 502 instead of opening a tunnel/],
  ['answers with a page', (socket) => socket.end(page), /sent an answer of its own instead of opening a tunnel/],
  ['says nothing and ends it', (socket) => socket.end(), /closed the connection instead of opening a tunnel/],
  ['opens a tunnel and ends it', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), /through the proxy/],
]

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write('H'), 20)
  socket.write('HTTP/1.1 200 OK\r\nX: ')
  socket.once('close', () => clearInterval(timer))
}

const ways = socketTransports.flatMap(([name, create]) =>
  ['GET', 'POST'].map((method) => [name, method, create] as const),
)

describe.each(ways)('over %s, a %s through a proxy', (_, method, create) => {
  const sent = {
    url: 'https://files.example/api/stats',
    headers: {},
    method,
    ...(method === 'POST' && { body: bodyOf('x') }),
  }

  test.each(endings)('a call through a proxy that %s is unreachable after one try', async (_, behave, message) => {
    const { proxy, asked } = await evilProxy(behave)
    const sending = create({ proxy }).send(sent)
    await expect(sending).rejects.toMatchObject({ failure: 'unreachable', message: expect.stringMatching(message) })
    expect(asked()).toBe(1)
  })

  test.each([
    ['is silent', () => {}],
    ['lets its answer trickle', trickle],
  ])('a call through a proxy that %s times out after one try', async (_, behave) => {
    const { proxy, asked } = await evilProxy(behave)
    const sending = create({ proxy, idleTimeoutMs: 600 }).send(sent)
    await expect(sending).rejects.toMatchObject({ failure: expect.stringMatching(/^(unreachable|timeout)$/) })
    expect(asked()).toBe(1)
  })

  test('a tunnel to what speaks no TLS is no place to send anything', async () => {
    const { proxy } = await evilProxy(lying)
    await expect(create({ proxy }).send(sent)).rejects.toMatchObject({
      failure: 'wrong-scheme',
      permanent: true,
      message: expect.stringMatching(/^through the proxy .*does not speak TLS/),
    })
  })

  test('an abort ends a call through a silent proxy at once', async () => {
    const controller = new AbortController()
    const { proxy } = await evilProxy(() => controller.abort(new Error('enough')))
    const sending = create({ proxy }).send({ ...sent, signal: controller.signal })
    await expect(sending).rejects.toThrow('enough')
  })
})

test('an abort ends a call at once even if its transport never returns', async () => {
  const controller = new AbortController()
  const send = () => {
    controller.abort(new Error('enough'))
    return new Promise<never>(() => {})
  }
  const client = createClient({ ...account, transport: { send } })
  await expect(client.stats({ signal: controller.signal })).rejects.toThrow('enough')
})
