import { createServer } from 'node:net'
import { Agent, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { createClient, type TransportResponse, type UndiciTransportOptions, undiciTransport } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { answer, scriptedServer } from '../helpers/scripted-server.ts'
import { opened, textOf } from './every-transport.ts'

type Sends = NonNullable<UndiciTransportOptions['dispatcher']>

function closing<D extends { close(): Promise<void> }>(dispatcher: D): D {
  onTestFinished(() => dispatcher.close())
  return dispatcher
}

const get = (url: string, dispatcher: Sends, signal?: AbortSignal) =>
  undiciTransport({ dispatcher }).send({ method: 'GET', url, headers: {}, ...(signal && { signal }) })

test('a dispatcher of the caller sends every request and its body, and stays open when the client closes', async () => {
  const server = await scriptedServer(answer(201, { upload: uploadObject }))
  const dispatcher = closing(new Agent({ connections: 1 }))
  for (const _ of [1, 2]) {
    await using client = createClient({
      baseUrl: server.baseUrl,
      apiKey: 'k',
      pacing: false,
      transport: undiciTransport({ dispatcher }),
    })
    expect((await client.upload(jpegBytes(100_000))).slug).toBe(uploadObject.slug)
  }
  expect(server.requests.map(({ body }) => body.length > 100_000)).toEqual([true, true])
  expect(server.connections()).toBe(1)
})

test('the MockAgent of undici answers as a dispatcher', async () => {
  const dispatcher = closing(new MockAgent())
  dispatcher.disableNetConnect()
  dispatcher
    .get('https://files.test')
    .intercept({ path: '/api/x' })
    .reply(429, 'slowly', { headers: { 'retry-after': '7' } })
  const response = await get('https://files.test/api/x', dispatcher)
  expect([response.status, response.headers['retry-after'], await textOf(response)]).toEqual([429, '7', 'slowly'])
  await expect(get('https://files.test/api/y', dispatcher)).rejects.toMatchObject({ name: 'TransportError' })
})

test('a dispatcher that the program has for everything is not asked', async () => {
  const before = getGlobalDispatcher()
  const blocked = closing(new MockAgent())
  blocked.disableNetConnect()
  setGlobalDispatcher(blocked)
  onTestFinished(() => setGlobalDispatcher(before))
  const server = await scriptedServer(answer(200, {}))
  const transport = opened(undiciTransport())
  expect((await transport.send({ method: 'GET', url: server.baseUrl, headers: {} })).status).toBe(200)
})

test.each<[string, () => Promise<unknown>]>([
  [
    'throws',
    () => {
      throw new Error('patched')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('patched')
    },
  ],
  ['answers with a body that fails', async () => ({ statusCode: 200, headers: {}, body: failing() })],
])('a dispatcher that %s breaks the exchange in its own words', async (_, request) => {
  const reading = get('http://files.test/', { request } as unknown as Sends).then(textOf)
  await expect(reading).rejects.toMatchObject({ failure: 'interrupted', message: 'patched' })
})

async function* failing() {
  yield Buffer.from('a')
  throw new Error('patched')
}

test('an abort ends a request whose dispatcher never answers, and an Agent ends one whose server is silent', async () => {
  const never = { request: () => new Promise(() => {}) } as unknown as Sends
  await expect(get('http://files.test/', never, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  const server = await scriptedServer(() => {})
  const silent = undiciTransport({ dispatcher: closing(new Agent()), idleTimeoutMs: 20 })
  await expect(silent.send({ method: 'GET', url: server.baseUrl, headers: {} })).rejects.toMatchObject({
    failure: 'timeout',
  })
})

test('a dispatcher brings its own proxies and certificates: neither is taken beside it', () => {
  for (const other of [{ proxy: 'http://p:1' }, { ca: 'x' }]) {
    expect(() => undiciTransport({ dispatcher: closing(new Agent()), ...other })).toThrow(
      /give undiciTransport either it/,
    )
  }
})

// What undici cannot, as docs/library.md says.
test('a dispatcher takes a reset for the end of an answer', async () => {
  let reset = () => {}
  const cut = createServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nsome'))
    reset = () => void socket.resetAndDestroy()
  })
  const url = `http://127.0.0.1:${await listening(cut)}/`
  const readUntilReset = async (response: TransportResponse) => {
    for await (const _ of response.body) reset()
  }
  await readUntilReset(await get(url, closing(new Agent())))
  const own = await opened(undiciTransport()).send({ method: 'GET', url, headers: {} })
  await expect(readUntilReset(own)).rejects.toMatchObject({ failure: 'interrupted' })
})
