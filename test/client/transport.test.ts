import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fetchTransport, type NodeTransportOptions, undiciTransport } from '../../src/index.ts'
import { deadAddress } from '../helpers/dead-address.ts'
import { listening } from '../helpers/listening.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { bodyOf, opened, socketTransports, textOf, transports } from './every-transport.ts'

describe.each(transports)('the %s transport', (_, create) => {
  const open = (idleTimeoutMs = 600_000) => create({ idleTimeoutMs })

  test('a transport sends method, path, query and headers, and returns status, headers joined by commas, and body', async () => {
    const server = await scriptedServer((request, response) => {
      request.resume()
      response.writeHead(418, { 'X-Some': 'thing', 'Retry-After': ['30', '120'] }).end('{"a":1}')
    })
    const url = `${server.baseUrl}/x?y=1`
    const response = await open().send({ method: 'DELETE', url, headers: { 'X-Api-Key': 'k' } })
    expect(response).toMatchObject({ status: 418, headers: { 'x-some': 'thing', 'retry-after': '30, 120' } })
    expect(await textOf(response)).toBe('{"a":1}')
    expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/x?y=1', headers: { 'x-api-key': 'k' } })
  })

  test('the header Host has the port of a service on another port than its scheme’s', async () => {
    const server = await scriptedServer(answer(200, {}))
    await textOf(await open().send({ method: 'GET', url: server.baseUrl, headers: {} }))
    expect(server.requests[0]?.headers.host).toBe(new URL(server.baseUrl).host)
  })

  test('a transport sends a body with its type and exact Content-Length', async () => {
    const server = await scriptedServer(answer(200, {}))
    const chunks = Array.from({ length: 40 }, (_, index) => String(index % 10).repeat(65_536))
    await textOf(await open().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf(...chunks) }))
    expect(server.requests[0]?.body.equals(Buffer.from(chunks.join('')))).toBe(true)
    expect(server.requests[0]?.headers).toMatchObject({ 'content-length': '2621440', 'content-type': 'text/plain' })
    expect(server.requests[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  test.each([
    ['follows no redirect', 'GET', 302, { location: '/elsewhere' }],
    ['sends a body once, even after an answer that invites a repetition', 'POST', 421, {}],
  ])('a transport %s', async (_, method, status, headers) => {
    const server = await scriptedServer(answer(status, '<html>', headers))
    const body = method === 'POST' ? { body: bodyOf('once') } : {}
    const response = await open().send({ method, url: server.baseUrl, headers: {}, ...body })
    expect(response).toMatchObject({ status, headers })
    expect(server.requests).toHaveLength(1)
  })

  test('a request to a port without a listener fails as unreachable', async () => {
    const sending = open().send({ method: 'GET', url: await deadAddress(), headers: {} })
    await expect(sending).rejects.toMatchObject({ name: 'TransportError', failure: 'unreachable' })
  })

  test('an aborted request fails with the caller’s reason', async () => {
    const server = await scriptedServer(() => controller.abort(new Error('enough')))
    const controller = new AbortController()
    const sending = open().send({ method: 'GET', url: server.baseUrl, headers: {}, signal: controller.signal })
    await expect(sending).rejects.toThrow('enough')
  })

  test('an answer after a 103 that nobody asked for reaches the caller', async () => {
    const server = await scriptedServer((request, response) => {
      request.resume()
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(200).end('whole'))
    })
    const response = await open().send({ method: 'GET', url: server.baseUrl, headers: {} })
    expect([response.status, await textOf(response)]).toEqual([200, 'whole'])
  })

  test('a second answer to one request is never taken for that to the next', async () => {
    const answers = ['one', 'six', 'two']
    const said = () => `HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${answers.shift()}`
    const server = createServer((socket) => {
      socket.on('data', () => socket.write(answers.length === 3 ? said() + said() : said()))
    })
    const request = { method: 'GET', url: `http://127.0.0.1:${await listening(server)}/`, headers: {} }
    const transport = open()
    onTestFinished(() => transport.close?.())
    expect(await textOf(await transport.send(request))).toBe('one')
    expect(await textOf(await transport.send(request).catch(() => transport.send(request)))).toBe('two')
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
})

const silent: readonly Step[] = [() => {}, (_, response) => response.writeHead(200).write('half')]

test.each(socketTransports)('the %s transport times out when no byte moves, or an answer stops', async (_, create) => {
  for (const step of silent) {
    const { baseUrl: url } = await scriptedServer(step)
    const reading = create({ idleTimeoutMs: 100 }).send({ method: 'GET', url, headers: {} }).then(textOf)
    await expect(reading).rejects.toMatchObject({ name: 'TransportError', failure: 'timeout' })
  }
})

test.each(socketTransports)(
  'the %s transport reaches plain http through a proxy without a tunnel, with its credentials',
  async (_, create) => {
    const proxy = await scriptedServer(answer(200, { through: 'proxy' }))
    const transport = create({ env: { HTTP_PROXY: proxy.baseUrl.replace('//', '//user:secret@') } })
    const response = await transport.send({ method: 'GET', url: 'http://files.example/api/stats?a=1#b', headers: {} })
    expect(await textOf(response)).toBe('{"through":"proxy"}')
    expect(proxy.requests[0]).toMatchObject({ url: 'http://files.example/api/stats?a=1' })
    expect(proxy.requests[0]?.headers).toMatchObject({
      host: 'files.example',
      'proxy-authorization': `Basic ${Buffer.from('user:secret').toString('base64')}`,
    })
  },
)

test.each(socketTransports)(
  'the %s transport is led past the proxy by NO_PROXY, and past all by false',
  async (_, create) => {
    const proxy = await scriptedServer(answer(200, {}))
    const env = { ALL_PROXY: proxy.baseUrl, NO_PROXY: 'one.invalid' }
    const send = (options: NodeTransportOptions, url: string) =>
      create(options).send({ method: 'GET', url, headers: {} })
    expect((await send({ env }, 'http://two.invalid/')).status).toBe(200)
    await expect(send({ env }, 'http://one.invalid/')).rejects.toMatchObject({ failure: 'unreachable' })
    await expect(send({ env, proxy: false }, 'http://two.invalid/')).rejects.toMatchObject({ failure: 'unreachable' })
    expect(proxy.requests.map(({ url }) => url)).toEqual(['http://two.invalid/'])
  },
)

test.each(socketTransports)(
  'an abort over the %s transport resets the connection of an answer that has no reader yet',
  async (_, create) => {
    const ended = Promise.withResolvers<NodeJS.ErrnoException>()
    const server = await scriptedServer(({ socket }, response) => {
      socket.once('error', ended.resolve)
      response.writeHead(200, { 'Content-Length': '9' }).write('half')
    })
    const controller = new AbortController()
    const { signal } = controller
    const request = { method: 'GET', url: server.baseUrl, headers: {}, signal }
    const { body } = await create().send(request)
    controller.abort(new Error('enough'))
    expect((await ended.promise).code).toBe('ECONNRESET')
    await expect(textOf({ body })).rejects.toThrow('enough')
  },
)

test('a request with a body gets its own connection', async () => {
  const server = await scriptedServer(answer(200, {}))
  const transport = opened(undiciTransport({ env: {} }))
  for (let round = 0; round < 3; round += 1) {
    await textOf(await transport.send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('x') }))
  }
  expect(server.connections()).toBe(3)
})

test('over the global fetch, a redirect after a body fails for good: fetch would keep the body to follow it', async () => {
  const server = await scriptedServer(answer(307, 'moved', { Location: '/elsewhere' }))
  const sending = fetchTransport().send({ method: 'POST', url: server.baseUrl, headers: {}, body: bodyOf('x') })
  await expect(sending).rejects.toMatchObject({ permanent: true, message: expect.stringContaining('a redirect') })
  expect(server.requests).toHaveLength(1)
})

test('the fetch transport sends a large body to a service in this process without waiting by the clock', async () => {
  const waits = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => waits.mockRestore())
  const service = async (request: Request) => new Response(String((await request.arrayBuffer()).byteLength))
  const sent = {
    method: 'POST',
    url: 'http://service.test/',
    headers: {},
    body: bodyOf(Buffer.alloc(50_000), Buffer.alloc(50_000)),
  }
  const response = await fetchTransport(service).send(sent)
  expect(response.status).toBe(200)
  // Connections of other tests in this process set timers of seconds.
  expect(waits.mock.calls.filter(([, ms = 0]) => ms < 1_000)).toEqual([])
})
