import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { createClient } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { tls, socketTransports as transports } from './every-transport.ts'

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
