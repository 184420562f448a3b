import { expect, test } from 'vitest'
import { download } from '../../src/client/download/download.ts'
import type { DownloadTarget } from '../../src/client/download/download-target.ts'
import {
  AccessDeniedError,
  type ClientEvent,
  fetchTransport,
  NotFoundError,
  nodeTransport,
  RateLimitError,
  UnavailableError,
  UnexpectedResponseError,
} from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { answer, type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { until } from '../helpers/until.ts'
import { memoryTarget } from './memory-target.ts'

const bytes = Buffer.from('0123456789')

const whole: Step = (_, response) => response.writeHead(200, { ETag: '"one"', 'Content-Length': 10 }).end(bytes)

async function fetched(
  steps: readonly Step[],
  options: { retries?: number; maxWaitMs?: number; size?: number } = {},
  { target, content } = memoryTarget(),
) {
  const server = await scriptedServer(...steps)
  const clock = instantClock()
  const events: ClientEvent[] = []
  const done = download(`${server.baseUrl}/i/a.jpg?signature=s3cret`, target, {
    size: 10,
    transport: nodeTransport(),
    clock,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const error = await done.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  return { error, text: () => String(content()), server, clock, events }
}

test('a download sends no key and asks for uncompressed bytes', async () => {
  const { error, text, server, events } = await fetched([whole])
  expect([error, text()]).toEqual([undefined, '0123456789'])
  expect(server.requests[0]?.headers).toMatchObject({ 'accept-encoding': 'identity' })
  expect(server.requests[0]?.headers['x-api-key']).toBeUndefined()
  expect(JSON.stringify(events)).not.toContain('s3cret')
})

test('a download waits as long as a refusal asks, up to the longest wait allowed', async () => {
  const refusal = answer(429, {}, { 'Retry-After': '7' })
  const patient = await fetched([refusal, refusal, whole])
  expect([patient.error, patient.text()]).toEqual([undefined, '0123456789'])
  expect(patient.clock.sleeps[0]).toBe(7_250)
  const impatient = await fetched([refusal], { maxWaitMs: 1_000 })
  expect(impatient.error).toBeInstanceOf(RateLimitError)
  expect(impatient.server.requests).toHaveLength(1)
})

test.each([
  [404, NotFoundError],
  [410, NotFoundError],
  [403, AccessDeniedError],
  [503, UnavailableError],
  [204, UnexpectedResponseError],
  [413, UnexpectedResponseError],
  [422, UnexpectedResponseError],
])('an answer %d without the file has its own error', async (status, kind) => {
  const { error } = await fetched([answer(status, '')], { retries: 1 })
  expect(error).toBeInstanceOf(kind)
  expect(error).toMatchObject({ status })
})

test('a download takes no packed part, and no other one than it asked for', async () => {
  const rest: Step = (_, response) =>
    response.writeHead(206, { 'Content-Range': 'bytes 5-9/10', 'Content-Encoding': 'gzip', ETag: '"one"' }).end('56789')
  const begun = memoryTarget()
  await begun.target.begin({ bytes: 0, validator: '"one"' })
  await begun.target.write(bytes.subarray(0, 5))
  const again = await fetched([rest, whole], {}, begun)
  expect([again.error, again.text(), again.server.requests.length]).toEqual([undefined, '0123456789', 2])
  const part = await fetched([
    (_, response) => response.writeHead(206, { 'Content-Range': 'bytes 5-9/10' }).end('56789'),
  ])
  expect(String(part.error)).toMatch(/another part of the file/)
})

/** A site that sends its file packed, unasked. */
const packed =
  (encoding: string, body: Uint8Array): Step =>
  (_, response) =>
    response.writeHead(200, { ETag: '"one"', 'Content-Encoding': encoding }).end(body)

test.each(['identity', ''])('a file that comes with Content-Encoding "%s" is its own', async (encoding) => {
  const { error, text } = await fetched([packed(encoding, bytes)])
  expect([error, text()]).toEqual([undefined, '0123456789'])
})

test.each(['gzip', 'br', 'zstd', 'aws-chunked'])(
  'bytes that come with Content-Encoding "%s" are named after one request',
  async (encoding) => {
    const { error, server } = await fetched([packed(encoding, bytes)])
    expect(error).toMatchObject({
      code: 'unexpected-response',
      message: expect.stringContaining(`answered with ${encoding} bytes instead of the file's own`),
      hint: 'Get the file with a browser, or try again later',
    })
    expect(server.requests).toHaveLength(1)
  },
)

test('an answer that fetch has unpacked has no entity tag, which is that of the packed bytes', async () => {
  const transport = fetchTransport(
    async () => new Response(bytes, { headers: { 'Content-Encoding': 'gzip', ETag: '"one"' } }),
  )
  const { headers } = await transport.send({ method: 'GET', url: 'http://localhost/', headers: {} })
  expect(headers).not.toHaveProperty('etag')
})

test.each([
  ['with its length', { 'Content-Length': '30' }],
  ['without', {}],
])('a web page in place of the file, %s, is named as what a network shows that wants a sign-in', async (_, headers) => {
  const page: Step = (_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers })
      .end('<html>Sign in to Wi-Fi</html>!')
  const { error } = await fetched([page])
  expect(error).toMatchObject({
    message: 'a.jpg: the service announced 10 bytes, but sent a web page of 30',
    hint: expect.stringContaining('sign in first'),
  })
})

const old = 'Thu, 19 Nov 2026 10:00:00 GMT'

/** Sends half of the file and breaks the connection; asked for the rest, sends that of another version. */
async function resumed(first: Record<string, string>, second: Record<string, string>) {
  const memory = memoryTarget()
  const half: Step = async (_, response) => {
    response.writeHead(200, { 'Content-Length': 10, ...first }).write(bytes.subarray(0, 5))
    await until(async () => String(memory.content()) === '01234')
    response.destroy()
  }
  const rest: Step = (_, response) =>
    response.writeHead(206, { 'Content-Range': 'bytes 5-9/10', ...second }).end('vwxyz')
  return await fetched([half, rest, (_, response) => response.writeHead(200, second).end('qrstuvwxyz')], {}, memory)
}

const date = { 'Last-Modified': old }
const [tag, weak] = [{ ETag: '"one"' }, { ETag: 'W/"one"' }]
const [continued, again] = ['01234vwxyz', 'qrstuvwxyz']

test.each<readonly [string, Record<string, string>, Record<string, string>, string, readonly (string | undefined)[]]>([
  ['is not continued with another entity tag', tag, { ETag: '"two"' }, again, ['bytes=5-', undefined]],
  ['is not continued with no entity tag any more', tag, date, again, ['bytes=5-', undefined]],
  ['is not continued with the same tag made weak', tag, weak, again, ['bytes=5-', undefined]],
  ['is continued with the same entity tag', tag, tag, continued, ['bytes=5-']],
  ['is not asked for by a weak tag or a date', { ...weak, ...date }, weak, again, [undefined, undefined]],
  ['is not asked for without either', {}, {}, again, [undefined, undefined]],
])('the rest of a file %s', async (_, first, second, content, ranges) => {
  const { error, text, server } = await resumed(first, second)
  expect([error, text()]).toEqual([undefined, content])
  expect(server.requests.slice(1).map(({ headers }) => headers.range)).toEqual(ranges)
})

test.each(['begin', 'write'] as const)('an abort does not wait for a target that stalls in %s', async (step) => {
  const stop = new AbortController()
  const stalled: DownloadTarget = {
    name: 'a.jpg',
    resume: () => ({ bytes: 0 }),
    begin: async () => {},
    write: async () => {},
    [step]: () => {
      stop.abort()
      return new Promise<void>(() => {})
    },
  }
  const transport = { send: async () => ({ status: 200, headers: {}, body: bytesUntil(() => {}) }) }
  const done = download('https://files.example/a.jpg', stalled, {
    size: 10,
    transport,
    clock: instantClock(),
    signal: stop.signal,
  })
  await expect(done).rejects.toMatchObject({ name: 'AbortError' })
})

test.each([
  [9, 'announced 9 bytes, but sent 10'],
  [11, 'announced 11 bytes, but sent 10'],
])('a file that the service announced with %d bytes is refused where the site has 10', async (size, words) => {
  for (const headers of [{ 'Content-Length': 10 }, {}]) {
    const site: Step = (_, response) => response.writeHead(200, headers).end(bytes)
    const { error, server } = await fetched([site], { size })
    expect(error).toMatchObject({ code: 'size-mismatch', message: `a.jpg: the service ${words}` })
    expect(server.requests).toHaveLength(1)
  }
})

test('an answer is dropped if the target cannot begin', async () => {
  let isOpen = true
  const full = new Error('no space left')
  const begin = () => Promise.reject(full)
  const transport = { send: async () => ({ status: 200, headers: {}, body: bytesUntil(() => (isOpen = false)) }) }
  const options = { size: 10, transport, clock: instantClock() }
  await expect(download('https://files.example/a.jpg', { ...memoryTarget().target, begin }, options)).rejects.toBe(full)
  expect(isOpen).toBe(false)
})

test.each([
  ['a 404 means a missing file, even if it is cut short', 404, NotFoundError, 1],
  ['a download without progress is retried as often as allowed', 502, UnexpectedResponseError, 4],
])('%s', async (_, status, kind, count) => {
  const cutShort: Step = (_request, response) => {
    response.writeHead(status, { 'Content-Length': 100 }).flushHeaders()
    setImmediate(() => response.socket?.resetAndDestroy())
  }
  const { error, server } = await fetched([cutShort], { retries: 3 })
  expect([error, server.requests.length]).toEqual([expect.any(kind), count])
})

async function* bytesUntil(left: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (;;) yield bytes
  } finally {
    left()
  }
}
