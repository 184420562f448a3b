import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createClient, nodeTransport, type RequestBody } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { socketTransports, textOf, transports } from './every-transport.ts'

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

test('the node transport asks before it sends a body of 1 MiB, not below, and sends nothing of it after a refusal', async () => {
  const server = await hastyServer()
  let asked = false
  const large: RequestBody = {
    ...body(1_048_576),
    async *chunks() {
      asked = true
      yield Buffer.alloc(1_048_576)
    },
  }
  const response = await nodeTransport().send({ method: 'POST', url: server.url, headers: {}, body: large })
  expect([response.status, await textOf(response), asked]).toEqual([429, '{}', false])
  expect(server.requests[0]).toMatch(/^expect: 100-continue\r$/im)
  const other = await scriptedServer(answer(200, {}))
  const sent = { method: 'POST', url: other.baseUrl, headers: {}, body: body(1_048_575) }
  expect((await nodeTransport().send(sent)).status).toBe(200)
  expect(other.requests[0]?.headers['expect']).toBeUndefined()
})

/** Answers raw connections by a function of the text received so far; collects the texts, one for each connection. */
async function rawServer(reply: (text: string, count: number) => string | undefined) {
  const texts: string[] = []
  const server = createServer((socket) => {
    const number = texts.push('') - 1
    socket.on('data', (data: Buffer) => {
      texts[number] += data.toString('latin1')
      const answer = reply(texts[number] ?? '', number)
      if (answer !== undefined) socket.write(answer)
    })
  })
  return { url: `http://127.0.0.1:${await listening(server)}/`, texts }
}

const done = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

const expectsAnswer = (text: string) => /^expect:/im.test(text)
const refusedExpectation = 'HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n'
const length = 2_000_000

test.each([
  ['refuses the Expect header with a 417 gets the body at once without it', 0, [length]],
  ['ignores the Expect header gets the body a second later', length, []],
])('a server that %s, and is not asked again', async (_, first, again) => {
  const { url, texts } = await rawServer((text) => {
    if (first === 0 && expectsAnswer(text)) return refusedExpectation
    return bodyOf(text).length === length ? done : undefined
  })
  const transport = nodeTransport()
  for (let round = 0; round < 2; round += 1) {
    const response = await transport.send({ method: 'POST', url, headers: {}, body: body(length) })
    expect(response.status).toBe(200)
  }
  const seen = texts.map((text) => [expectsAnswer(text), bodyOf(text).length])
  expect(seen).toEqual([[true, first], ...[...again, length].map((bytes) => [false, bytes])])
})

test('a body that was begun before a 417 is not read a second time, and that server is not asked again', async () => {
  const refusals = [refusedExpectation]
  const { url, texts } = await rawServer((text) => {
    if (!expectsAnswer(text)) return bodyOf(text).length === length ? done : undefined
    return bodyOf(text).length > 0 ? refusals.pop() : 'HTTP/1.1 100 Continue\r\n\r\n'
  })
  const transport = nodeTransport()
  let begun = 0
  const whole = body(length)
  const counted: RequestBody = {
    ...whole,
    chunks() {
      begun += 1
      return whole.chunks()
    },
  }
  const response = await transport.send({ method: 'POST', url, headers: {}, body: counted })
  expect([response.status, await textOf(response), begun]).toEqual([417, '', 1])
  expect((await transport.send({ method: 'POST', url, headers: {}, body: counted })).status).toBe(200)
  expect(texts.map(expectsAnswer)).toEqual([true, false])
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
