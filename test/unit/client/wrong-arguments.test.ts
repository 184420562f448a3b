import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import {
  type Client,
  createClient,
  createSharedLedger,
  FileHostError,
  fetchTransport,
  nodeTransport,
  undiciTransport,
} from '../../../src/index.ts'
import { inProcessClient } from '../../helpers/in-process-client.ts'

type Any = never
const key = 'Secret1Secret2Secret3Secret4'
const good = { baseUrl: 'https://files.example', apiKey: key }
const create = (options: unknown) => () => createClient(options as Any)
const withOption = (option: object) => create({ ...good, ...option })

const ledger = (given: unknown) => withOption({ pacing: { ledger: given } })
const redis = `redis://:${key}@redis.example`
const noFolder = { ...good, limits: {} }

/** Calls that are refused, by the code of the error: a name, the call, and words of the message. */
type Refused<Call> = Readonly<
  Record<'invalid-value' | 'unknown-option', readonly (readonly [name: string, call: Call, words: string])[]>
>
const rowsOf = <Call>(refused: Refused<Call>) =>
  Object.entries(refused).flatMap(([code, rows]) =>
    rows.map(([name, call, words]) => [name, call, code, words] as const),
  )
/** A client as JavaScript sees it. */
type Unchecked = { readonly [Name in keyof Client]: (...args: readonly unknown[]) => unknown }

const calls: Refused<() => unknown> = {
  'invalid-value': [
    ['createClient()', create(undefined), 'createClient takes an object such as { baseUrl, apiKey }, but got nothing'],
    ['createClient({})', create({}), 'The option baseUrl of createClient is missing: it takes an address'],
    ['no key', create({ baseUrl: 'https://files.example' }), 'The API key is missing: is the variable set'],
    ['a key that is no text', withOption({ apiKey: [key] }), 'takes a text, but got a list'],
    ['a key of two lines', withOption({ apiKey: 'a\nb' }), 'must not contain spaces, line breaks or non-ASCII'],
    ['a user agent of two lines', withOption({ userAgent: 'a\nb' }), 'a text that fits into a header, without line'],
    ['a user agent in Chinese', withOption({ userAgent: '一' }), 'a text that fits into a header, without line breaks'],
    ['a base URL without a scheme', withOption({ baseUrl: 'files.example' }), 'give it as https://files.example'],
    ['key and URL exchanged', create({ baseUrl: key, apiKey: good.baseUrl }), 'Not a URL; give it'],
    ['a function as transport', withOption({ transport: undiciTransport }), 'got the function undiciTransport'],
    ['a text as fetch', () => fetchTransport('fetch' as Any), 'takes a function like fetch, or nothing for the'],
    ['retries as text', withOption({ retry: { retries: '3' } }), 'takes a number from 0 up, but got "3"'],
    ['pacing: true', withOption({ pacing: true }), 'takes false, or an object with any of limits, ledger, folder'],
    ['a limit of nothing', withOption({ pacing: { limits: { burst: 0 } } }), 'burst'],
    ['a rate of nothing', withOption({ uploadBytesPerSecond: 0 }), 'uploadBytesPerSecond'],
    ['a rate that is too low', withOption({ uploadBytesPerSecond: 50 }), 'uploadBytesPerSecond'],
    ['a ledger of another kind', ledger('redis'), `takes 'memory', 'shared', a ledger, or redisLedger(url)`],
    ['the URL of a Redis server as ledger', ledger(redis), 'or redisLedger(url) from filehost/redis, but got a text'],
    ['limits as a list', withOption({ pacing: { limits: [20] } }), 'burst, minute, hour, day, but got a list'],
    ['a timeout as text', () => undiciTransport({ idleTimeoutMs: '5s' } as Any), 'from 1 up, but got "5s"'],
    ['a ledger without a folder', () => createSharedLedger(noFolder as Any), 'folder of createSharedLedger is missing'],
  ],
  'unknown-option': [
    ['a misspelt option', withOption({ apikey: key }), 'createClient has no option "apikey"; it has baseUrl, apiKey'],
    [
      'a misspelt nested option',
      withOption({ retry: { retires: 3 } }),
      'no option "retry.retires"; it has retries, maxWaitMs',
    ],
    ['a strange option', withOption({ xyzzy: 1 }), 'has no option "xyzzy"; it has baseUrl, apiKey, transport'],
    ['an inherited name', withOption({ constructor: 1 }), 'has no option "constructor"'],
    [
      'nodeTransport with a dispatcher',
      () => nodeTransport({ dispatcher: {} } as Any),
      'no option "dispatcher"; it has',
    ],
  ],
}

test.each(rowsOf(calls))('%s is refused by name', (_, call, code, words) => {
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

const methods: Refused<(client: Unchecked) => unknown> = {
  'invalid-value': [
    ['show(undefined)', (c) => c.show(undefined), 'client.show takes a slug, but got nothing'],
    ['show("")', (c) => c.show(''), 'Not a slug: ""'],
    ['show(upload)', (c) => c.show({ slug: 'a' }), 'but got an object'],
    ['show(url)', (c) => c.show('https://files.example/i/a'), 'the slug is the last part of its path'],
    ['delete([])', (c) => c.delete([]), 'client.delete takes a slug, but got a list'],
    ['list(2)', (c) => c.list(2), 'client.list takes an object with any of signal, page, but got a number'],
    ['list({ page: 0 })', (c) => c.list({ page: 0 }), 'takes a whole number from 1 up, but got 0'],
    ['a signal as options', (c) => c.upload('/x', AbortSignal.timeout(1)), 'but got an AbortSignal'],
    ['a controller as signal', (c) => c.stats({ signal: new AbortController() }), 'but got an AbortController'],
    ['a progress that is no function', (c) => c.upload('/x', { onProgress: true }), 'takes a function, but got true'],
    ['reconcile(intent)', (c) => c.reconcile({}), 'client.reconcile takes a list of intents, but got an object'],
    ['request()', (c) => c.request(undefined, '/x'), 'A method is one word, as GET: nothing'],
    ['request with a type of two lines', (c) => c.request('POST', '/x', { contentType: 'a\nb' }), 'fits into a header'],
    ['request to a foreign address', (c) => c.request('GET', 'https://elsewhere.example/'), 'A path begins with one /'],
    ['request without a path', (c) => c.request('GET', undefined), 'A path begins with one /'],
    ['request with a form', (c) => c.request('POST', '/x', { body: new FormData() }), 'but got a FormData'],
    ['download of an address', (c) => c.download('https://a.example/b', 'a'), 'a slug, but got the address'],
    ['download to nowhere', (c) => c.download('slug'), 'takes a path or a writable stream second, but got nothing'],
    ['download to no path', (c) => c.download('slug', ''), 'second, but got an empty text'],
    ['download to a locked stream', (c) => c.download('slug', lockedStream()), 'that something else writes to'],
  ],
  'unknown-option': [
    ['list({ pages: 2 })', (c) => c.list({ pages: 2 }), 'client.list has no option "pages"; it has signal, page'],
    ['request with headers', (c) => c.request('GET', '/x', { headers: {} }), 'client.request has no option "headers"'],
    [
      'a misspelt option',
      (c) => c.download('slug', 'a.jpg', { forced: true }),
      'has no option "forced"; it has signal, force',
    ],
  ],
}

test.each(rowsOf(methods))('%s is refused by name, and nothing is sent', async (_, call, code, words) => {
  const { client, emulator } = await inProcessClient({})
  const error = await Promise.resolve()
    .then(() => call(client as unknown as Unchecked))
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
    baseUrl = good.baseUrl
    apiKey = key
  }
  expect(createClient(new Settings())).toBeDefined()
})
