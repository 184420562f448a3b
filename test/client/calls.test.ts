import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { type ClientEvent, createClient, FileHostError, TransportError } from '../../src/index.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, breakOff, held, type Step } from '../helpers/scripted-server.ts'

const stats = { uploads: 1, albums: 0, total_views: 0, api_requests: 3 }
const gone = answer(404, { message: 'No query results for model [App\\Models\\Upload].' })
const total = (durations: readonly number[]) => durations.reduce((sum, duration) => sum + duration, 0)

test('a safe call is repeated after an answer of trouble and after a broken connection', async () => {
  const { client, server } = await scriptedClient([answer(502, '<html>'), breakOff(), answer(200, stats)])
  await expect(client.stats()).resolves.toEqual(stats)
  expect(server.requests).toHaveLength(3)
})

test('a page that is gone by the time it is read ends the list, once the page before says so', async () => {
  await using emulator = await createEmulator({ quotas: 'none', settings: { page_beyond_last: '404' } })
  const { baseUrl } = await emulator.listen()
  await using client = createClient({ baseUrl, apiKey: emulator.apiKey, pacing: false })
  const { slugs = [] } = emulator.control.accounts.addUploads(1, { count: 102 })
  const seen: string[] = []
  for await (const { slug } of client.uploads()) {
    seen.push(slug)
    if (seen.length === 50) for (const one of slugs.slice(0, 60)) await client.delete(one)
  }
  expect(seen).toEqual(expect.arrayContaining(slugs.slice(60)))
})

const cutShort: Step = (_, response) => {
  response.writeHead(503, { 'Content-Length': 100, 'Retry-After': '60' }).flushHeaders()
  setImmediate(() => response.socket?.resetAndDestroy())
}
const refused = answer(429, { error: 'Rate limit exceeded (per hour).' }, { 'Retry-After': '1800' })

test.each([
  ['after a refusal', refused, 1_800_250],
  ['even if a 503 is cut short', cutShort, 60_250],
])('a safe call waits as long as Retry-After says, %s', async (_, step, ms) => {
  const { client, clock } = await scriptedClient([step, answer(200, stats)])
  await expect(client.stats()).resolves.toEqual(stats)
  expect(total(clock.sleeps)).toBe(ms)
})

test('a safe call fails at once if Retry-After is longer than allowed', async () => {
  const { client, clock } = await scriptedClient([refused], { retry: { maxWaitMs: 60_000 } })
  await expect(client.stats()).rejects.toMatchObject({
    name: 'RateLimitError',
    code: 'rate-limited',
    window: 'hour',
    retryAfterMs: 1_800_250,
    serviceMessage: 'Rate limit exceeded (per hour).',
  })
  expect(clock.sleeps).toEqual([])
})

test('a safe call reports why and how long it waits', async () => {
  const refused = answer(429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '2' })
  const { client, events } = await scriptedClient([refused, answer(500, {}), answer(200, stats)])
  await client.stats()
  expect(events.filter(({ type }) => type === 'wait' || type === 'retry')).toMatchObject([
    { type: 'wait', window: 'burst', source: 'retry-after', delayMs: 2_250, request: { path: '/api/stats' } },
    { type: 'retry', attempt: 2, reason: 'the service answered 500' },
  ])
})

test.each([
  ['gzip', gzipSync(JSON.stringify(stats))],
  ['br', brotliCompressSync(JSON.stringify(stats))],
])('an answer that a proxy compressed with %s is read', async (encoding, compressed) => {
  const step: Step = (_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding }).end(compressed)
  const { client } = await scriptedClient([step])
  await expect(client.stats()).resolves.toEqual(stats)
})

test.each([
  [401, { error: 'Invalid API key.' }, 'AuthenticationError', 'authentication-failed'],
  [403, { error: 'IP address not allowed.' }, 'AccessDeniedError', 'access-denied'],
  [403, { message: 'This action is unauthorized.' }, 'AccessDeniedError', 'access-denied'],
  [404, { message: 'No query results for model [App\\Models\\Upload].' }, 'NotFoundError', 'not-found'],
  [422, { message: 'The page field must be an integer.' }, 'ValidationError', 'validation-failed'],
])('%i with %j is %s', async (status, body, name, code) => {
  const { client } = await scriptedClient([answer(status, body)])
  const failed = client.show('x')
  await expect(failed).rejects.toBeInstanceOf(FileHostError)
  await expect(failed).rejects.toMatchObject({ name, code, status, serviceMessage: Object.values(body)[0] })
})

test.each([
  ['the service has no such route', answer(404, { message: 'The route sub/api/uploads/x could not be found.' })],
  ['it is a page', answer(404, '<html>Not found</html>')],
  ['nothing was named', gone],
])('a 404 means a wrong base URL, not a missing upload, where %s', async (_, step) => {
  const { client } = await scriptedClient([step])
  const failed = step === gone ? client.stats() : client.show('x')
  const hint = expect.stringContaining('base URL')
  await expect(failed).rejects.toMatchObject({ code: 'unexpected-response', hint })
})

test.each([
  ['a redirect', answer(301, '', { Location: 'https://files.example/in' }), /with a redirect to https:.*\/in$/],
  ['a page', answer(200, '<!doctype html><p>Welcome'), /answered 200 with an HTML page$/],
  ['nothing', answer(200, ''), /answered 200 with an empty body$/],
  ['text', answer(200, 'pong', { 'Content-Type': 'text/plain' }), /answered 200 with something that is not JSON$/],
  ['foreign JSON', answer(200, { ok: true }), /not the service's: uploads should be a number, but is missing$/],
])('an answer that is %s does not come from the service', async (_, step, message) => {
  const { client } = await scriptedClient([step])
  await expect(client.stats()).rejects.toMatchObject({ name: 'UnexpectedResponseError', hint: /Check the base URL/ })
  await expect(client.stats()).rejects.toThrow(message)
})

test('events and errors never show the key, even if the service echoes it or the transport mentions it', async () => {
  const mentioned = async () => Promise.reject(new TransportError('interrupted', 'the peer disliked secret-key'))
  const echoes = [
    answer(403, { error: 'secret-key is not allowed' }, { 'X-Echo': 'secret-key' }),
    answer(422, { message: 'no', errors: { 'secret-key': ['secret-key'] } }),
    answer(200, { uploads: 'secret-key' }),
    answer(200, `${'x'.repeat(195)}secret-key`),
    undefined,
  ]
  for (const echo of echoes) {
    const { client, events } = await scriptedClient(echo ? [echo] : [], echo ? {} : { transport: { send: mentioned } })
    const error = await client.stats().catch((caught: Error) => caught)
    const told = JSON.stringify([events, error, String(error), String((error as Error).cause)])
    expect(told).not.toMatch(/secret-?k?e?y?/)
    expect(told).toMatch(/\[reda/)
  }
})

test.each([
  ['succeeds with 200 and its body', answer(200, { deleted: true }), undefined],
  ['succeeds with an empty 204', answer(204, ''), undefined],
  ['fails with the service’s 404', gone, 'not-found'],
  ['fails with a page', answer(200, '<p>Welcome'), 'unexpected-response'],
  ['fails with JSON that says something else', answer(200, { success: true }), 'unexpected-response'],
  ['fails with a word that nothing was deleted', answer(200, { deleted: false }), 'not-found'],
])('a deletion %s', async (_, step, code) => {
  const { client, server } = await scriptedClient([step])
  expect(await client.delete('a b').catch((error) => error.code)).toBe(code)
  expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/api/uploads/a%20b' })
})

test('a deletion answered 404 after a 502 succeeds, unless the 404 is not the service’s', async () => {
  const trouble = answer(502, '<html>')
  const { client } = await scriptedClient([trouble, gone])
  await expect(client.delete('x')).resolves.toBeUndefined()
  const second = await scriptedClient([trouble, answer(404, '<html>')])
  await expect(second.client.delete('x')).rejects.toMatchObject({ code: 'unexpected-response' })
})

test('what was garbled on its way is asked for once more, and not a third time', async () => {
  const garbled = answer(200, '{"stats": {', { 'Content-Type': 'application/json' })
  const once = await scriptedClient([garbled, answer(200, stats)])
  await expect(once.client.stats()).resolves.toEqual(stats)
  const twice = await scriptedClient([garbled, garbled, garbled])
  await expect(twice.client.stats()).rejects.toMatchObject({ code: 'unexpected-response' })
  expect(twice.server.requests.length).toBe(2)
})

test('a raw request returns any answer unchanged', async () => {
  const { client } = await scriptedClient([answer(404, { message: 'no' }, { 'X-A': 'b' }), answer(200, 'text')])
  await expect(client.request('get', '/api/nothing')).resolves.toMatchObject({
    status: 404,
    headers: { 'x-a': 'b' },
    body: { message: 'no' },
  })
  await expect(client.request('GET', '/x?y=1')).resolves.toMatchObject({ status: 200, body: 'text' })
})

test('a raw POST is never repeated', async () => {
  const { client, server } = await scriptedClient([answer(503, { error: 'API temporarily disabled.' })])
  await expect(client.request('POST', '/api/x', { body: { a: 1 } })).resolves.toMatchObject({ status: 503 })
  expect(server.requests.map(({ body }) => body.toString())).toEqual(['{"a":1}'])
})

test('a raw request whose body cannot become JSON holds no units', async () => {
  const { client, server } = await scriptedClient([answer(200, {})])
  const circle = { self: {} }
  circle.self = circle
  await expect(client.request('PUT', '/x', { body: circle })).rejects.toThrow(TypeError)
  expect(client.quota().minute).toMatchObject({ used: 0 })
  expect(server.requests).toHaveLength(0)
})

test('a client trims the key, keeps the path of its base URL, and names the caller first in its User-Agent', async () => {
  const { server } = await scriptedClient([answer(200, stats)])
  const options = { baseUrl: `${server.baseUrl}/sub/`, apiKey: ' k\n', userAgent: 'my-app/2' }
  await using client = createClient(options)
  await client.stats()
  expect(server.requests).toMatchObject([{ url: '/sub/api/stats', headers: { 'x-api-key': 'k' } }])
  expect(server.requests[0]?.headers['user-agent']).toMatch(/^my-app\/2 filehost\/\d+\.\d+\.\d+ node\/\d+/)
})

test('a client reports every request and answer, with the values of the rate headers', async () => {
  const headers = { 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '59', 'X-RateLimit-Cost': '1' }
  const { client, events } = await scriptedClient([answer(200, stats, headers)])
  await client.stats()
  expect(events).toMatchObject([
    { type: 'request', attempt: 1, headers: { 'X-Api-Key': '[redacted]' } },
    { type: 'response', status: 200, report: { limit: 60, remaining: 59, cost: 1 } },
  ] satisfies Partial<ClientEvent>[])
})

test('a client reports once that its shared ledger cannot be used, and then counts on its own', async () => {
  const pacing = { ledger: 'shared', folder: fileURLToPath(import.meta.url) } as const
  const { client, events } = await scriptedClient([answer(200, stats), answer(200, stats)], { pacing })
  await client.stats()
  await client.stats()
  expect(events.filter(({ type }) => type === 'ledger-problem')).toEqual([
    { type: 'ledger-problem', folder: pacing.folder, reason: expect.stringContaining('ENOTDIR') },
  ])
  expect(client.quota().day).toMatchObject({ used: 2 })
})

test('a client assumes the limits it is given, no limit for null, and none without pacing', async () => {
  const { client } = await scriptedClient([], { pacing: { limits: { minute: 30, day: null } } })
  expect(client.quota()).toMatchObject({ burst: { limit: 20 }, minute: { limit: 30 }, hour: { limit: 1_000 } })
  expect(client.quota().day).toBeUndefined()
  expect((await scriptedClient([], { pacing: false })).client.quota()).toEqual({})
})

test('a call that would wait longer than allowed is not sent, and its error names the window', async () => {
  const { client, server, clock } = await scriptedClient([answer(200, stats)], { retry: { maxWaitMs: 1_000 } })
  for (let count = 0; count < 20; count += 1) await client.stats()
  await expect(client.stats()).rejects.toMatchObject({
    name: 'RateLimitError',
    window: 'burst',
    status: undefined,
    message: expect.stringMatching(/was not sent: the burst quota has room in \d+ s, maxWaitMs is 1 s$/),
    hint: 'Try again then, or allow a longer wait',
  })
  expect(server.requests).toHaveLength(20)
  expect(clock.sleeps).toEqual([])
})

test('a call that may not wait is not sent while requests under way hold its units, and its error says so', async () => {
  const { step, reached, release } = held(200, stats)
  const pacing = { limits: { burst: 1 } }
  const { client } = await scriptedClient([step], { pacing, retry: { maxWaitMs: 0 } })
  const first = client.stats()
  await reached
  await expect(client.stats()).rejects.toMatchObject({
    code: 'rate-limited',
    message: expect.stringMatching(/was not sent: the burst quota has room once requests under way have ended$/),
    hint: 'Try again then, or allow a longer wait',
  })
  release()
  await first
})

test('calls after a 503 wait for one answer together, and fail as unavailable if it takes too long', async () => {
  const disabled = answer(503, { error: 'API temporarily disabled.' }, { 'Retry-After': '60' })
  const { client, server } = await scriptedClient([disabled, answer(200, stats)], {
    retry: { retries: 0, maxWaitMs: 1_000 },
  })
  await expect(client.stats()).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  await expect(client.stats()).rejects.toMatchObject({
    code: 'unavailable',
    status: undefined,
    retryAfterMs: 60_250,
    message: expect.stringMatching(/the service is switched off and may be asked again in 60 s, maxWaitMs is 1 s$/),
  })
  expect(server.requests).toHaveLength(1)
})
