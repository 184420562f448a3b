import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createClient, type RequestBody } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { socketTransports, textOf, transports } from './every-transport.ts'

const MB = 1_048_576
const refusal = 'HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

/** Answers on the first byte, and resets the connection with the rest of the request unread. */
async function hastyServer() {
  const requests: string[] = []
  const reset = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.once('data', (data: Buffer) => {
      requests.push(data.toString('latin1'))
      socket.pause()
      socket.write(refusal, () => {
        socket.resetAndDestroy()
        reset.resolve()
      })
    })
  })
  return { url: `http://127.0.0.1:${await listening(server)}/`, reset: reset.promise, requests }
}

function body(length: number, beforeRest?: Promise<void>): RequestBody {
  return {
    contentType: 'text/plain',
    length,
    async *chunks() {
      yield Buffer.alloc(1_000)
      await beforeRest
      for (let left = length - 1_000; left > 0; left -= 60_000) yield Buffer.alloc(Math.min(left, 60_000))
    },
  }
}

test.each(transports)(
  'an answer that came before a connection was reset reaches the caller of the %s transport, though a write failed',
  async (_, create) => {
    const server = await hastyServer()
    const sent = body(400_000, server.reset)
    const response = await create().send({ method: 'POST', url: server.url, headers: {}, body: sent })
    expect(response.status).toBe(429)
    expect(await textOf(response)).toBe('{}')
    expect(server.requests[0]).toMatch(/^connection: keep-alive\r$/im)
  },
)

test.each(transports)('a refusal ends the sending of a large body over the %s transport', async (_, create) => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.pause()
      socket.write(refusal)
    })
  })
  const url = `http://127.0.0.1:${await listening(server)}/`
  let sent = 0
  const large: RequestBody = {
    contentType: 'text/plain',
    length: 200 * MB,
    async *chunks() {
      for (; sent < 200; sent += 1) yield Buffer.alloc(MB)
    },
  }
  const response = await create().send({ method: 'POST', url, headers: {}, body: large })
  expect([response.status, await textOf(response)]).toEqual([429, '{}'])
  expect(sent).toBeLessThan(100)
})

test.each(socketTransports)(
  'an answer without a length whose connection over %s is reset proves an upload once its JSON is whole, not before',
  async (_, create) => {
    const stored = JSON.stringify({ upload: uploadObject })
    const answers = [stored, stored.slice(0, -1)]
    const server = createServer((socket) => {
      const head = 'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'
      socket.once('data', (data: Buffer) => {
        const answer = data.includes('POST ') ? `${head}${answers.shift()}` : ''
        socket.on('data', (more) => {
          if (more.includes('\r\n--')) socket.write(answer, () => socket.resetAndDestroy())
        })
        if (answer === '') socket.destroy()
      })
    })
    const baseUrl = `http://127.0.0.1:${await listening(server)}`
    const clock = instantClock()
    await using client = createClient({ baseUrl, apiKey: 'key', transport: create(), clock, pacing: false })
    expect((await client.upload(jpegBytes(100_000))).slug).toBe(uploadObject.slug)
    await expect(client.upload(jpegBytes(100_000))).rejects.toMatchObject({ code: 'outcome-unknown' })
  },
)
