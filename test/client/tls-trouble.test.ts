import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { createClient, nodeTransport } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { bodyOf, tls, socketTransports as transports } from './every-transport.ts'

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const answers = [
  ['an answer of a known length', `${head}Content-Length: 200\r\n\r\n{"uploads":1`],
  ['an answer in chunks', `${head}Transfer-Encoding: chunked\r\n\r\nc\r\n{"uploads":1\r\n`],
  ['an answer that only the close ends', `${head}\r\n{"uploads":1`],
] as const

const cases = transports.flatMap(([name, create]) => answers.map(([what, text]) => [name, what, create, text] as const))

test.each(cases)('over the %s transport, %s cut off under TLS is a broken connection', async (_, __, create, text) => {
  const server = createTlsServer(tls, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.write(text, () => socket.destroy()))
  })
  const baseUrl = `https://127.0.0.1:${await listening(server)}`
  const options = { transport: create({ ca: tls.cert }), retry: { retries: 0 }, pacing: false } as const
  await using client = createClient({ baseUrl, apiKey: 'key', ...options })
  await expect(client.stats()).rejects.toMatchObject({
    code: 'connection-failed',
    message: expect.stringMatching(/the connection broke: (the connection was cut|the answer ends in the middle)$/),
  })
})

test('over the node transport, a reset within a body that ends with the connection counts as a broken connection', async () => {
  let reset = () => {}
  const server = createServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'))
    reset = () => void socket.resetAndDestroy()
  })
  const url = `http://127.0.0.1:${await listening(server)}/`
  const read = async () => {
    const { body } = await nodeTransport().send({ method: 'GET', url, headers: {} })
    for await (const _ of body) reset()
  }
  await expect(read()).rejects.toMatchObject({ failure: 'interrupted' })
})

test.each(transports)(
  'the %s transport names https in its error for http to a port that speaks TLS, and the client the base URL',
  async (_, create) => {
    const port = await listening(createTlsServer(tls).on('tlsClientError', () => {}))
    const transport = create({ ca: tls.cert })
    const [url, words] = [`http://127.0.0.1:${port}`, `speaks TLS on this port: use https://127.0.0.1:${port}`]
    await expect(transport.send({ method: 'GET', url, headers: {} })).rejects.toMatchObject({
      failure: 'wrong-scheme',
      permanent: true,
      message: `127.0.0.1:${port} ${words}`,
    })
    await expect(transport.send({ method: 'POST', url, headers: {}, body: bodyOf('x') })).rejects.toMatchObject({
      failure: 'interrupted',
      permanent: true,
      message: expect.stringContaining(words),
    })
    await using client = createClient({ baseUrl: url, apiKey: 'key', transport })
    const hint = 'Check whether the base URL begins with http:// or https://'
    await expect(client.stats()).rejects.toMatchObject({ hint })
  },
)

test('the node transport names https in its error for a large upload that was not begun', async () => {
  const url = `http://127.0.0.1:${await listening(createTlsServer(tls).on('tlsClientError', () => {}))}/`
  const sending = { method: 'POST', url, headers: {}, body: bodyOf(Buffer.alloc(1_048_576)) }
  await expect(nodeTransport().send(sending)).rejects.toMatchObject({ failure: 'wrong-scheme' })
})

const breaks = transports.flatMap(([name, create]) =>
  ['HTTP/1.1 2', ''].map(
    (said) => [name, (said && 'breaks off an answer in http') || 'is closed without a word', create, said] as const,
  ),
)

test.each(breaks)(
  'the %s transport says that an upload may have arrived at a port that also speaks TLS, and that %s',
  async (_, __, create, said) => {
    const securePort = await listening(createTlsServer(tls))
    const server = createServer((socket: Socket) => {
      socket.once('data', (data: Buffer) => {
        if (data[0] !== 0x16) return void socket.end(said)
        const onward = connect(securePort, '127.0.0.1').on('error', () => {})
        onward.write(data)
        socket.pipe(onward).pipe(socket)
      })
    })
    const url = `http://127.0.0.1:${await listening(server)}/`
    const transport = create({ ca: tls.cert })
    await expect(transport.send({ method: 'POST', url, headers: {}, body: bodyOf('x') })).rejects.toMatchObject({
      failure: 'interrupted',
      mayHaveArrived: true,
    })
  },
)

test.each(transports)('an abort ends the %s transport’s TLS probe with the caller’s reason', async (_, create) => {
  const caller = new AbortController()
  const reason = new Error('enough')
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    if (connections === 1) return void socket.once('data', () => socket.destroy())
    socket.resume()
    caller.abort(reason)
  })
  const url = `http://127.0.0.1:${await listening(server)}/`
  const transport = create({ ca: tls.cert })
  await expect(transport.send({ method: 'GET', url, headers: {}, signal: caller.signal })).rejects.toBe(reason)
  expect(connections).toBe(2)
})
