import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createServer as createTlsServer } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { nodeTransport, type RequestBody } from '../../src/index.ts'
import { listening } from '../helpers/listening.ts'
import { bodyOf, socketTransports, tls } from './every-transport.ts'

/** More bytes than a server accepts that reads nothing, and fewer than the system buffers for one that has not read yet. */
const BODY_BYTES = 1_500_000

/** A body, and a promise that resolves when its last byte was handed over. */
function largeBody() {
  const taken = Promise.withResolvers<void>()
  const whole = bodyOf(Buffer.alloc(BODY_BYTES))
  async function* chunks() {
    yield* whole.chunks()
    taken.resolve()
  }
  const body: RequestBody = { ...whole, chunks }
  return { body, taken: taken.promise }
}

/** A server that reads the beginning of a request, and the rest only on demand. */
async function hesitantServer(scheme: string) {
  let received = 0
  const connected = Promise.withResolvers<Socket>()
  const onConnection = (socket: Socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    socket.once('data', () => {
      socket.pause()
      connected.resolve(socket)
    })
  }
  const isTls = scheme === 'https'
  const server = isTls ? createTlsServer(tls, onConnection) : createServer(onConnection)
  return {
    url: `${scheme}://127.0.0.1:${await listening(server)}/`,
    connected: connected.promise,
    async readToTheEnd() {
      const socket = await connected.promise
      // An error ends it as well.
      await new Promise((resolve) => socket.once('close', resolve).resume())
      return received
    },
  }
}

const ways = socketTransports.flatMap(([name, create]) =>
  ['http', 'https'].map((scheme) => [name, scheme, create] as const),
)

test.each(ways)('after a timeout the %s transport sends no more of an %s request', async (_, scheme, create) => {
  const { url, readToTheEnd } = await hesitantServer(scheme)
  const { body } = largeBody()
  const sending = create({ idleTimeoutMs: 500, ca: tls.cert }).send({ method: 'POST', url, headers: {}, body })
  await expect(sending).rejects.toMatchObject({
    failure: 'timeout',
    message: expect.stringMatching(/^(nothing moved for 0\.5 s|no answer came in time)$/),
  })
  expect(await readToTheEnd()).toBeLessThan(BODY_BYTES)
})

test.each(ways)('after an abort the %s transport drops what is left of an %s request', async (_, scheme, create) => {
  const { url, connected, readToTheEnd } = await hesitantServer(scheme)
  const { body, taken } = largeBody()
  const controller = new AbortController()
  const { signal } = controller
  const sending = create({ ca: tls.cert }).send({ method: 'POST', url, headers: {}, body, signal })
  const ended = expect(sending).rejects.toThrow('enough')
  await Promise.all([connected, taken])
  controller.abort(new Error('enough'))
  await ended
  expect(await readToTheEnd()).toBeLessThan(BODY_BYTES)
})

/** Listens, and is stopped before it accepts a connection. */
const listener = `
require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
  console.log(this.address().port)
  process.kill(process.pid, 'SIGSTOP')
})`

test.runIf(process.platform === 'linux')('a host that accepts no connection in time is unreachable', async () => {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(createInterface(child.stdout), 'line')
  // More connections than the system's backlog holds.
  const others = [1, 2, 3, 4].map(() => connect(Number(port), '127.0.0.1').on('error', () => {}))
  onTestFinished(() => others.forEach((other) => void other.destroy()))
  await once(others[1] as Socket, 'connect')
  const url = `http://127.0.0.1:${port}/`
  const sending = nodeTransport({ idleTimeoutMs: 200 }).send({ method: 'GET', url, headers: {} })
  const message = 'no connection was made in time'
  await expect(sending).rejects.toMatchObject({ failure: 'unreachable', message })
})

/** Aborts at the moment when the whole answer has been read and the connection is shutting down. */
const lateAbort = `
import { createServer } from 'node:http'
import { once } from 'node:events'
import { nodeTransport } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url))}
const server = createServer((_, response) => response.end('{}'))
await once(server.listen(0, '127.0.0.1'), 'listening')
const controller = new AbortController()
const url = 'http://127.0.0.1:' + server.address().port
const { body } = await nodeTransport().send({ method: 'GET', url, headers: {}, signal: controller.signal })
for await (const _ of body);
controller.abort(new Error('enough'))
server.close()
server.closeAllConnections()`

test('an abort after the answer does not keep the program running', async () => {
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  const child = spawn(process.execPath, ['--input-type=module', '-e', lateAbort], { stdio: [...stdio] })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([0, null])
})
