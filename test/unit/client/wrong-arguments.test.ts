import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createClient, createSharedLedger, FileHostError, nodeTransport, undiciTransport } from '../../../src/index.ts'
import { inProcessClient } from '../../helpers/in-process-client.ts'

type Any = never
const key = 'Secret1Secret2Secret3Secret4'
const good = { baseUrl: 'https://files.example', apiKey: key }
const create = (options: unknown) => () => createClient(options as Any)

test.each<readonly [string, () => unknown, string, string]>([
  [
    'createClient()',
    create(undefined),
    'invalid-value',
    'createClient takes an object such as { baseUrl, apiKey }, but got nothing',
  ],
  ['createClient(key)', create(key), 'invalid-value', 'but got a text'],
  [
    'createClient({})',
    create({}),
    'invalid-value',
    'The option baseUrl of createClient is missing: it takes an address',
  ],
  [
    'no key',
    create({ baseUrl: 'https://files.example' }),
    'invalid-value',
    'The API key is missing: is the variable set',
  ],
  ['an empty key', create({ ...good, apiKey: '' }), 'invalid-value', 'The API key is empty'],
  ['a key that is no text', create({ ...good, apiKey: [key] }), 'invalid-value', 'takes a text, but got a list'],
  [
    'a base URL without a scheme',
    create({ ...good, baseUrl: 'files.example' }),
    'invalid-value',
    'give it as https://files.example',
  ],
  ['key and URL exchanged', create({ baseUrl: key, apiKey: good.baseUrl }), 'invalid-value', 'Not a URL; give it'],
  [
    'a misspelt option',
    create({ ...good, apikey: key }),
    'unknown-option',
    'createClient has no option "apikey". Did you mean "apiKey"?',
  ],
  ['an option in capitals', create({ apiKey: key, baseURL: 'x' }), 'unknown-option', 'Did you mean "baseUrl"?'],
  ['an option that is nested', create({ ...good, retries: 3 }), 'unknown-option', 'Did you mean "retry.retries"?'],
  [
    'a misspelt nested option',
    create({ ...good, retry: { retires: 3 } }),
    'unknown-option',
    'no option "retry.retires". Did you mean "retry.retries"?',
  ],
  [
    'a misspelt window',
    create({ ...good, pacing: { limits: { minutes: 3 } } }),
    'unknown-option',
    'Did you mean "pacing.limits.minute"?',
  ],
  ['a timeout', create({ ...good, timeout: '5s' }), 'unknown-option', 'AbortSignal.timeout(5_000)'],
  [
    'a strange option',
    create({ ...good, xyzzy: 1 }),
    'unknown-option',
    'has no option "xyzzy"; it has baseUrl, apiKey, transport',
  ],
  ['an inherited name', create({ ...good, constructor: 1 }), 'unknown-option', 'has no option "constructor"'],
  [
    'a transport that is not called',
    create({ ...good, transport: undiciTransport }),
    'invalid-value',
    'takes a transport, such as fetchTransport() or undiciTransport(), but got the function undiciTransport',
  ],
  [
    'retries as text',
    create({ ...good, retry: { retries: '3' } }),
    'invalid-value',
    'takes a number from 0 up, but got "3"',
  ],
  ['retries below zero', create({ ...good, retry: { retries: -1 } }), 'invalid-value', 'but got -1'],
  [
    'pacing: true',
    create({ ...good, pacing: true }),
    'invalid-value',
    'takes false, or an object with any of limits, ledger, folder, reserve, but got true',
  ],
  [
    'a ledger of another kind',
    create({ ...good, pacing: { ledger: 'redis' } }),
    'invalid-value',
    `takes 'memory', 'shared', a ledger, or redisLedger(url) from filehost/redis, but got "redis"`,
  ],
  [
    'the URL of a Redis server as ledger',
    create({ ...good, pacing: { ledger: `redis://:${key}@redis.example` } }),
    'invalid-value',
    'but got a URL: give redisLedger(url) from filehost/redis',
  ],
  [
    'the URL of a Redis server as ledger, as an object',
    create({ ...good, pacing: { ledger: new URL(`redis://:${key}@redis.example`) } }),
    'invalid-value',
    'but got a URL: give redisLedger(url) from filehost/redis',
  ],
  [
    'a promise of a ledger',
    create({ ...good, pacing: { ledger: Promise.resolve() } }),
    'invalid-value',
    'but got a promise: await it first',
  ],
  [
    'a class as ledger',
    create({
      ...good,
      pacing: {
        ledger: class Ledger {},
      },
    }),
    'invalid-value',
    'but got the function Ledger: give what it makes',
  ],
  [
    'a Redis client as ledger',
    create({ ...good, pacing: { ledger: { sendCommand() {} } } }),
    'invalid-value',
    'but got a Redis client: give redisLedger(client) from filehost/redis',
  ],
  [
    'limits as a list',
    create({ ...good, pacing: { limits: [20] } }),
    'invalid-value',
    'takes an object with units for any of burst, minute, hour, day, but got a list',
  ],
  [
    'nodeTransport with a proxy',
    () => nodeTransport({ proxy: 'x' } as Any),
    'unknown-option',
    'undiciTransport knows proxies',
  ],
  [
    'an idle timeout as text',
    () => undiciTransport({ idleTimeoutMs: '5s' } as Any),
    'invalid-value',
    'takes milliseconds from 1 up, but got "5s"',
  ],
  [
    'a misspelt option of a transport',
    () => undiciTransport({ idleTimeout: 5 } as Any),
    'unknown-option',
    'Did you mean "idleTimeoutMs"?',
  ],
  [
    'a ledger without a folder',
    () => createSharedLedger({ ...good, limits: {} } as Any),
    'invalid-value',
    'The option folder of createSharedLedger is missing',
  ],
  [
    'a ledger with a misspelt option',
    () => createSharedLedger({ ...good, folder: '/x', limit: {} } as Any),
    'unknown-option',
    'Did you mean "limits"?',
  ],
])('%s is refused by name', (_, call, code, words) => {
  const error = thrownBy(call)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
  expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
  expect(error).not.toBeInstanceOf(FileHostError)
  expect(JSON.stringify(error)).not.toContain(key)
})

function thrownBy(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}

function lockedStream(): WritableStream<Uint8Array> {
  const stream = new WritableStream()
  stream.getWriter()
  return stream
}

test.each<
  readonly [string, (client: Awaited<ReturnType<typeof inProcessClient>>['client']) => unknown, string, string]
>([
  ['show(undefined)', (c) => c.show(undefined as Any), 'invalid-value', 'client.show takes a slug, but got nothing'],
  ['show("")', (c) => c.show(''), 'invalid-value', 'Not a slug: ""'],
  ['show(upload)', (c) => c.show({ slug: 'a' } as Any), 'invalid-value', 'but got an object: pass its slug'],
  ['show(url)', (c) => c.show('https://files.example/i/a'), 'invalid-value', 'the slug is the last part of its path'],
  [
    'delete([])',
    (c) => c.delete([] as Any),
    'invalid-value',
    'client.delete takes a slug, but got a list: call it once for each slug',
  ],
  [
    'list(2)',
    (c) => c.list(2 as Any),
    'invalid-value',
    'client.list takes an object with any of signal, page, but got a number',
  ],
  ['list({ page: 0 })', (c) => c.list({ page: 0 }), 'invalid-value', 'takes a whole number from 1 up, but got 0'],
  ['list({ page: "2" })', (c) => c.list({ page: '2' } as Any), 'invalid-value', 'but got "2"'],
  [
    'list({ pages: 2 })',
    (c) => c.list({ pages: 2 } as Any),
    'unknown-option',
    'client.list has no option "pages". Did you mean "page"?',
  ],
  ['list(null)', (c) => c.list(null as Any), 'invalid-value', 'but got null'],
  [
    'a signal as options',
    (c) => c.upload('/x', AbortSignal.timeout(1) as Any),
    'invalid-value',
    'but got an AbortSignal',
  ],
  [
    'uploads({ page: 2 })',
    async (c) => c.uploads({ page: 2 } as Any),
    'unknown-option',
    'client.uploads has no option "page"',
  ],
  [
    'a controller as signal',
    (c) => c.stats({ signal: new AbortController() } as Any),
    'invalid-value',
    'takes an AbortSignal, such as the signal of an AbortController, but got an AbortController',
  ],
  [
    'upload with a name',
    (c) => c.upload('/x', { name: 'a' } as Any),
    'unknown-option',
    'the name belongs to the source',
  ],
  [
    'upload with a progress option',
    (c) => c.upload('/x', { onprogress() {} } as Any),
    'unknown-option',
    'Did you mean "onProgress"?',
  ],
  [
    'upload with a progress that is no function',
    (c) => c.upload('/x', { onProgress: true } as Any),
    'invalid-value',
    'takes a function, but got true',
  ],
  [
    'upload with a size as text',
    (c) => c.upload('/x', { maxFileSizeBytes: '200MB' } as Any),
    'invalid-value',
    'takes bytes from 0 up, but got "200MB"',
  ],
  [
    'reconcile(intent)',
    (c) => c.reconcile({} as Any),
    'invalid-value',
    'client.reconcile takes a list of intents, but got an object',
  ],
  ['request()', (c) => c.request(undefined as Any, '/x'), 'invalid-value', 'A method is one word, as GET: nothing'],
  ['request without a path', (c) => c.request('GET', undefined as Any), 'invalid-value', 'A path begins with one /'],
  [
    'request with a form',
    (c) => c.request('POST', '/x', { body: new FormData() }),
    'invalid-value',
    'takes text, bytes or JSON, but got a FormData',
  ],
  [
    'request with a file',
    (c) => c.request('POST', '/x', { body: new Blob(['x']) }),
    'invalid-value',
    'takes text, bytes or JSON, but got a Blob',
  ],
  [
    'request with a function',
    (c) => c.request('POST', '/x', { body: () => 1 }),
    'invalid-value',
    'takes text, bytes or JSON, but got the function body',
  ],
  [
    'request with headers',
    (c) => c.request('GET', '/x', { headers: {} } as Any),
    'unknown-option',
    'client.request has no option "headers"',
  ],
  [
    'download of an address',
    (c) => c.download('https://a.example/b', 'a.jpg'),
    'invalid-value',
    'client.download takes a slug, but got the address',
  ],
  [
    'download to nowhere',
    (c) => c.download('slug', undefined as Any),
    'invalid-value',
    'client.download takes a path or a writable stream second, but got nothing',
  ],
  ['download to no path', (c) => c.download('slug', ''), 'invalid-value', 'second, but got an empty text'],
  ['download to a URL', (c) => c.download('slug', new URL('file:///a') as Any), 'invalid-value', 'but got an URL'],
  [
    'download to a stream that is locked',
    (c) => c.download('slug', lockedStream()),
    'invalid-value',
    'but got a WritableStream that something else writes to',
  ],
  [
    'download with a misspelt option',
    (c) => c.download('slug', 'a.jpg', { forced: true } as Any),
    'unknown-option',
    'client.download has no option "forced". Did you mean "force"?',
  ],
])('%s is refused by name, and nothing is sent', async (_, call, code, words) => {
  const { client, emulator } = await inProcessClient({})
  const error = await Promise.resolve()
    .then(() => call(client))
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) })
  expect(emulator.control.requests.list().requests).toEqual([])
})

test('a wrong argument is printed as a TypeError or a RangeError', () => {
  expect(inspect(thrownBy(create({ ...good, apikey: 1 })))).toMatch(/^TypeError: createClient has no option "apikey"/)
  expect(inspect(thrownBy(create({ ...good, retry: { retries: -1 } })))).toMatch(/^RangeError: The option/)
})

test('options may be an instance of a class', () => {
  class Settings {
    get baseUrl() {
      return good.baseUrl
    }
    get apiKey() {
      return key
    }
  }
  expect(createClient(new Settings())).toBeDefined()
})

test('an option whose value is undefined is not there', async () => {
  const { client } = await inProcessClient({})
  expect(
    createClient({ ...good, timeout: undefined, retry: { other: undefined }, pacing: undefined } as Any),
  ).toBeDefined()
  await expect(client.list({ page: undefined, limit: undefined, signal: undefined } as Any)).resolves.toMatchObject({
    total: 0,
  })
  await expect(client.stats(undefined)).resolves.toMatchObject({ uploads: 0 })
})
