import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient, fetchTransport, nodeTransport, type RequestBody, undiciTransport } from '../../src/index.ts'
import { deadAddress } from '../helpers/dead-address.ts'
import { deferred } from '../helpers/deferred.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes } from '../helpers/media.ts'
import { answer, breakOff, scriptedServer } from '../helpers/scripted-server.ts'
import { bodyOf, opened, textOf, transports } from './every-transport.ts'

/** A body that fails at its last byte. */
const unreadable: RequestBody = {
  contentType: 'text/plain',
  length: 2_000_001,
  async *chunks() {
    yield Buffer.alloc(2_000_000)
    throw new Error('file is gone')
  },
}

describe.each(transports)('the %s transport', (_, create) => {
  const open = (idleTimeoutMs = 600_000) => create({ idleTimeoutMs })

  test('a transport sends method, path, query and headers, and returns status, headers and body', async () => {
    const server = await scriptedServer(answer(418, { a: 1 }, { 'X-Some': 'thing' }))
    const response = await open().send({
      method: 'DELETE',
      url: `${server.baseUrl}/x?y=1`,
      headers: { 'X-Api-Key': 'k' },
    })
    expect(response.status).toBe(418)
    expect(response.headers).toMatchObject({ 'x-some': 'thing', 'content-type': 'application/json' })
    expect(await textOf(response)).toBe('{"a":1}')
    expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/x?y=1', headers: { 'x-api-key': 'k' } })
  })

  test('a transport joins a repeated header by commas', async () => {
    const server = await scriptedServer((request, response) => {
      request.resume()
      const headers = { 'Retry-After': ['30', '120'], 'X-Some': ['a', 'b'] }
      response.writeHead(429, headers).end('{}')
    })
    const { headers } = await open().send({ method: 'GET', url: server.baseUrl, headers: {} })
    expect(headers).toMatchObject({ 'retry-after': '30, 120', 'x-some': 'a, b' })
  })

  test('a transport sends a body with its exact Content-Length', async () => {
    const server = await scriptedServer(answer(200, {}))
    await textOf(await open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('one', 'two') }))
    expect(server.requests[0]?.body.toString()).toBe('onetwo')
    expect(server.requests[0]?.headers).toMatchObject({ 'content-length': '6', 'content-type': 'text/plain' })
    expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  test('a transport sends a large body with its exact Content-Length', async () => {
    const server = await scriptedServer(answer(200, {}))
    const chunks = Array.from({ length: 40 }, () => 'x'.repeat(65_536))
    await textOf(await open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf(...chunks) }))
    expect(server.requests[0]?.body.length).toBe(40 * 65_536)
    expect(server.requests[0]?.headers['content-length']).toBe(String(40 * 65_536))
  })

  test('a transport follows no redirect', async () => {
    const server = await scriptedServer(answer(302, '', { Location: '/elsewhere' }))
    const response = await open().send({ method: 'GET', url: server.baseUrl, headers: {} })
    expect(response).toMatchObject({ status: 302, headers: { location: '/elsewhere' } })
    expect(server.requests).toHaveLength(1)
  })

  test('a request to a port without a listener fails as unreachable', async () => {
    const sending = open().send({ method: 'GET', url: await deadAddress(), headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'unreachable' })
  })

  test('a request fails as interrupted when the connection breaks', async () => {
    const server = await scriptedServer(breakOff())
    const sending = open().send({ method: 'GET', url: server.baseUrl, headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'interrupted' })
  })

  test('a request fails as interrupted when the answer is cut short', async () => {
    const server = await scriptedServer((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('half')
      response.once('drain', () => {})
      setImmediate(() => response.socket?.resetAndDestroy())
    })
    const sending = open().send({ method: 'GET', url: server.baseUrl, headers: {} }).then(textOf)
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'interrupted' })
  })

  test('a request times out when no byte moves', async () => {
    const server = await scriptedServer(() => {})
    const sending = open(100).send({ method: 'GET', url: server.baseUrl, headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'timeout' })
  })

  test('a request fails and stays incomplete when its body cannot be read', async () => {
    const server = await scriptedServer(answer(200, {}))
    const sending = open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: unreadable })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', message: 'file is gone' })
    expect(server.requests).toHaveLength(0)
  })

  test('an aborted request fails with the caller’s reason', async () => {
    const server = await scriptedServer(() => controller.abort(new Error('enough')))
    const controller = new AbortController()
    const sending = open().send({ method: 'GET', url: server.baseUrl, headers: {}, signal: controller.signal })
    await expect(sending).rejects.toThrow('enough')
  })

  test('a request fails when the other side upgrades the protocol', async () => {
    const server = await scriptedServer((request) => {
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: foo\r\n\r\n')
    })
    const sending = open().send({ method: 'GET', url: server.baseUrl, headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'interrupted' })
  })

  test('a transport sends a body once, even after an answer that invites a repetition', async () => {
    const server = await scriptedServer(answer(421, '<html>'))
    const response = await open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('once') })
    expect(response.status).toBe(421)
    expect(server.requests).toHaveLength(1)
  })

  test('a request times out when the answer stops in the middle', async () => {
    const server = await scriptedServer((_request, response) => void response.writeHead(200).write('half'))
    const reading = open(100).send({ method: 'GET', url: server.baseUrl, headers: {} }).then(textOf)
    await expect(reading).rejects.toMatchObject({ name: 'TransportError', failure: 'timeout' })
  })

  test('a reader that takes longer than the idle timeout gets the whole answer', async () => {
    const server = await scriptedServer((request, response) => {
      request.resume()
      response.writeHead(200).end(Buffer.alloc(3_000_000))
    })
    const { body } = await open(500).send({ method: 'GET', url: server.baseUrl, headers: {} })
    let [bytes, pauses] = [0, 0]
    for await (const chunk of body) {
      bytes += chunk.length
      if (pauses++ === 0) await new Promise((resolve) => setTimeout(resolve, 900))
    }
    expect(bytes).toBe(3_000_000)
  })

  test('a transport returns an answer that comes before the body has been read', async () => {
    const server = await scriptedServer((request, response) => {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"Invalid API key."}')
      request.resume()
    })
    const chunks = Array.from({ length: 64 }, () => 'x'.repeat(65_536))
    const response = await open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf(...chunks) })
    expect(response.status).toBe(401)
    expect(await textOf(response)).toContain('Invalid API key.')
  })
})

test('the undici transport reaches plain http through a proxy without a tunnel, with its credentials', async () => {
  const proxy = await scriptedServer(answer(200, { through: 'proxy' }))
  const transport = opened(undiciTransport({ env: { HTTP_PROXY: proxy.baseUrl.replace('//', '//user:secret@') } }))
  const response = await transport.send({ method: 'GET', url: 'http://files.example/api/stats', headers: {} })
  expect(await textOf(response)).toBe('{"through":"proxy"}')
  expect(proxy.requests[0]).toMatchObject({ url: 'http://files.example/api/stats' })
  expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(
    `Basic ${Buffer.from('user:secret').toString('base64')}`,
  )
})

test('the undici transport asks a proxy for a tunnel to an https host, and fails as unreachable when refused', async () => {
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  const port = await listening(proxy)
  const transport = opened(undiciTransport({ env: { ALL_PROXY: `127.0.0.1:${port}` } }))
  const sending = transport.send({ method: 'GET', url: 'https://files.example/api/stats', headers: {} })
  await expect(sending).rejects.toMatchObject({ failure: 'unreachable' })
  expect(asked).toEqual(['files.example:443'])
})

test.each(['http', 'https'])(
  'the undici transport times out on a proxy that is silent about an %s host',
  async (scheme) => {
    const proxy = createServer(() => {}).on('connect', () => {})
    const port = await listening(proxy)
    const transport = opened(undiciTransport({ idleTimeoutMs: 100, proxy: `127.0.0.1:${port}` }))
    const sending = transport.send({ method: 'GET', url: `${scheme}://files.example/`, headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError' })
  },
)

test('the node transport closes a request after an early answer although the server reads no more of it', async () => {
  const server = await scriptedServer((request, response) => {
    request.pause()
    response.writeHead(401).end('{}')
  })
  const left = deferred()
  const endless: RequestBody = {
    contentType: 'text/plain',
    length: 1e9,
    async *chunks() {
      try {
        for (;;) yield Buffer.alloc(1_000_000)
      } finally {
        left.resolve()
      }
    },
  }
  const response = await nodeTransport().send({ method: 'POST', url: server.baseUrl, headers: {}, body: endless })
  expect(await textOf(response)).toBe('{}')
  await left.promise
})

test('a request with a body gets its own connection', async () => {
  const server = await scriptedServer(answer(200, {}))
  const transport = opened(undiciTransport({ env: {} }))
  for (let round = 0; round < 3; round += 1) {
    await textOf(await transport.send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('x') }))
  }
  expect(server.connections()).toBe(3)
})

test.each([
  [1_000, 307, '/elsewhere'],
  [1_048_576, 300, undefined],
])(
  'a redirect after a body of %d bytes reaches the caller of the fetch transport as a %d',
  async (length, status, to) => {
    const server = await scriptedServer(answer(307, 'moved', { Location: '/elsewhere' }))
    const sent = { method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('x'.repeat(length)) }
    const response = await fetchTransport(fetch).send(sent)
    expect([response.status, response.headers['location'], server.requests.length]).toEqual([status, to, 1])
  },
)

test('an upload over the fetch transport that is redirected, as is the list, has an unknown outcome, and is sent once', async () => {
  const server = await scriptedServer(answer(302, '', { Location: '/login' }))
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', transport: fetchTransport(fetch) })
  onTestFinished(() => client.close())
  await expect(client.upload(jpegBytes(2_000_000))).rejects.toMatchObject({ code: 'outcome-unknown', status: 300 })
  expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
})
