import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  ConflictError,
  type Emulator,
  type OrderedExpectation,
  type RequestExpectation,
  VerificationError,
} from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, send } from '../emulated.ts'
import { callControl } from './control-call.ts'

const bytes = jpegBytes(1_000)
const sha256 = createHash('sha256').update(bytes).digest('hex')

/** The error of a verification. */
function missed({ control }: Emulator, expectation: RequestExpectation | OrderedExpectation): VerificationError {
  try {
    control.requests.verify(expectation)
  } catch (error) {
    if (error instanceof VerificationError) return error
    throw error
  }
  throw new Error('It was verified')
}

async function uploaded() {
  const emulator = await emulated()
  const form = fileForm(bytes)
  await send(emulator, 'POST', '/api/upload', { ...form, headers: { ...form.headers, 'User-Agent': 'curl/8.5' } })
  return emulator
}

test('a failed verification is a VerificationError by its own name, and a ConflictError', async () => {
  const emulator = await emulated()
  const error = missed(emulator, { path: '/api/stats' })
  expect([error.name, error.code, error instanceof ConflictError]).toEqual([
    'VerificationError',
    'not-as-expected',
    true,
  ])
  expect(String(error)).toBe(
    'VerificationError: Expected at least 1 request to /api/stats, but the log has 0. There are no other requests',
  )
})

test('near misses of a named account are its own requests only, and none if there is no such account', async () => {
  const emulator = await emulated()
  const { id: account_id, api_key } = emulator.control.accounts.create()
  for (let sent = 0; sent < 9; sent += 1) await send(emulator, 'GET', '/api/stats')
  await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'unknown-key' } })
  expect(missed(emulator, { account_id, path: '/api/stats' })).toMatchObject({
    nearMisses: [],
    message:
      'Expected at least 1 request to /api/stats of account 2, but the log has 0. Account 2 has no other requests',
  })
  await send(emulator, 'GET', '/api/uploads', { headers: { 'X-Api-Key': api_key } })
  const { nearMisses } = missed(emulator, { account_id, path: '/api/stats' })
  expect(nearMisses).toMatchObject([
    {
      request: { account_id, endpoint: '/api/uploads' },
      differs: { path: { expected: '/api/stats', found: '/api/uploads' } },
    },
  ])
  expect(missed(emulator, { account_id: 4_711 }).nearMisses).toEqual([])
  expect(missed(emulator, { account_id: 4_711, in_order: [{ path: '/api/stats' }] }).nearMisses).toEqual([])
  expect(missed(emulator, { path: '/api/nothing' }).nearMisses).toHaveLength(5)
})

test.each<RequestExpectation>([
  { headers: { 'User-Agent': 'curl/8.5' } },
  { headers: { 'user-agent': 'curl/*', 'X-API-KEY': '*', expect: null } },
  { headers: { 'Content-Type': 'multipart/form-data; *', 'X-Api-Key': '*', Authorization: null } },
  { file: {} },
  { file: { name: 'photo.jpg' }, status: 201 },
  { file: { name: 'photo.*', size: 1_000, sha256 }, count: 1 },
  { file: { sha256: sha256.toUpperCase() } },
])('the log of an upload has %j', async (expectation) => {
  const emulator = await uploaded()
  await send(emulator, 'GET', '/api/stats')
  expect(emulator.control.requests.verify({ path: '/api/upload', ...expectation })).toEqual({
    verified: true,
    found: 1,
  })
  const over = await callControl(emulator, 'POST', '/requests/verify', { method: 'post', ...expectation })
  expect(over).toMatchObject({ status: 200, body: { found: 1 } })
})

test('a verification of headers and a file says which of them differ, over HTTP as in the typed call', async () => {
  const emulator = await uploaded()
  const expectation = {
    headers: { 'User-Agent': 'filehost/*', Expect: '100-continue', Accept: null },
    file: { name: 'cat.png', size: 5, sha256: '0'.repeat(64) },
  }
  const error = missed(emulator, expectation)
  const differs = {
    'headers.user-agent': { expected: 'filehost/*', found: 'curl/8.5' },
    'headers.expect': { expected: '100-continue', found: null },
    'file.name': { expected: 'cat.png', found: 'photo.jpg' },
    'file.size': { expected: 5, found: 1_000 },
    'file.sha256': { expected: '0'.repeat(64), found: sha256 },
  }
  expect(error.nearMisses).toMatchObject([{ differs }])
  expect(error.message).toMatch(
    /^Expected at least 1 request, with headers.user-agent "filehost\/\*", with headers.expect "100-continue", without headers.accept, with file.name "cat.png", with file.size 5, .* has headers.user-agent "curl\/8.5" instead of "filehost\/\*" and has headers.expect absent instead of "100-continue" and has file.name "photo.jpg" instead of "cat.png"/,
  )
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect([status, body.error]).toMatchObject([
    409,
    { code: 'not-as-expected', message: error.message, near_misses: JSON.parse(JSON.stringify(error.nearMisses)) },
  ])
  await send(emulator, 'GET', '/api/stats')
  expect(missed(emulator, { path: '/api/stats', file: {} }).message).toMatch(/with a file.* has no file$/)
  // Of two that are equally close, the one with a file.
  expect(missed(emulator, { file: { name: 'cat.png' } }).nearMisses[0]).toMatchObject({
    differs: { 'file.name': { found: 'photo.jpg' } },
  })
})

test('the secrets of a request are nowhere in the log, in near misses or in a snapshot', async () => {
  const emulator = await emulated()
  const secrets = { Authorization: 'Bearer t0ken', Cookie: 'session=s3same', 'Proxy-Authorization': 'Basic pr0xy' }
  const more = { Referer: `http://h/?api_key=${emulator.apiKey}`, 'X-Kept': 'visible' }
  await send(emulator, 'GET', '/api/stats', { headers: { ...secrets, ...more } })
  await emulator.fetch(new Request(`http://h/api/stats?api_key=${emulator.apiKey}`, { headers: more }))
  const { control } = emulator
  expect(control.requests.verify({ headers: { 'X-Kept': 'visible', referer: '*' } }).found).toBe(2)
  expect(
    control.requests.verify({ headers: { cookie: '*', authorization: '*', 'proxy-authorization': '*' } }).found,
  ).toBe(1)
  const { nearMisses, message } = missed(emulator, {
    headers: { Referer: 'x', 'X-Kept': 'y', 'x-api-key': null, cookie: null },
  })
  const all = JSON.stringify([nearMisses, message, control.requests.list(), await control.state.get()])
  expect(all).toContain('visible')
  for (const secret of [emulator.apiKey, 't0ken', 's3same', 'pr0xy']) expect(all).not.toContain(secret)
})

test.each<[unknown, RegExp]>([
  [{ headers: { 'X-Api-Key': 'k' } }, /The log does not keep the value of X-Api-Key: expect "\*" if it was sent/],
  [{ headers: { cookie: 'a=b' } }, /does not keep the value of cookie/],
  [{ headers: { accept: 5 } }, /headers takes an object of at most 100 header names and texts/],
  [{ headers: { 'a b': 'c' } }, /headers takes/],
  [{ headers: [] }, /headers takes/],
  [{ headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`h${at}`, '*'])) }, /at most 100/],
  [{ file: 'a.png' }, /file takes an object with any of name, size, sha256/],
  [{ file: { nam: 'a' } }, /no field "nam"; did you mean name\?/],
  [{ file: { size: -1 } }, /size takes a whole number/],
  [{ file: { sha256: 'abc' } }, /sha256 takes a SHA-256 of 64 hexadecimal digits/],
  [{ in_order: [] }, /in_order takes a list of one or more/],
  [{ in_order: {} }, /in_order takes/],
  [{ in_order: [{}], method: 'GET' }, /no field "method"; there are account_id, in_order/],
  [{ in_order: [{}, { count: 2 }] }, /in_order\[1\]: There is no field "count"/],
  [{ in_order: [{ headers: { authorization: 'x' } }] }, /in_order\[0\]: The log does not keep/],
  [{ in_order: [null] }, /in_order\[0\]: Give an object/],
])('the expectation %j is refused, and says why', async (expectation, message) => {
  const emulator = await emulated()
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect([status, body.error.code, body.error.message]).toEqual([422, 'invalid-value', expect.stringMatching(message)])
})

test('requests are verified in order, with others between them', async () => {
  const emulator = await emulated()
  const other = emulator.control.accounts.create()
  for (const path of ['/api/stats', '/api/uploads', '/api/uploads/x', '/api/stats']) await send(emulator, 'GET', path)
  const { requests } = emulator.control
  const [stats, list, show] = [
    { path: '/api/stats' },
    { path: '/api/uploads' },
    { path: '/api/uploads/*', status: 404 },
  ]
  expect(requests.verify({ in_order: [stats, show, stats] })).toEqual({ verified: true, found: 3 })
  expect(requests.verify({ account_id: 1, in_order: [list, { account_id: 1, path: '/api/s*' }] }).found).toBe(2)
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', { in_order: [list, stats] })
  expect([status, body]).toEqual([200, { verified: true, found: 2 }])

  const late = missed(emulator, { account_id: 1, in_order: [stats, show, list] })
  expect(late).toMatchObject({ expected: { min: 3, max: null }, found: 2 })
  const at = '2026-01-15T12:00:00.000Z'
  expect(late.message).toBe(
    `Expected request to /api/uploads of account 1 after GET /api/uploads/x answered 404 at ${at} (request 3 of 3 in ` +
      `order), but the log has none. The closest, GET /api/uploads answered 200 at ${at}, came before it`,
  )
  const order = { in_order: { expected: `after GET /api/uploads/x answered 404 at ${at}`, found: 'before it' } }
  expect(late.nearMisses[0]).toMatchObject({ request: { endpoint: '/api/uploads' }, differs: order })

  const twice = missed(emulator, { in_order: [show, show] })
  expect(twice.message).toMatch(/came that request itself$/)
  expect(missed(emulator, { account_id: other.id, in_order: [stats] }).nearMisses).toEqual([])
  expect(missed(emulator, { in_order: [stats, { ...stats, account_id: other.id }] }).nearMisses).toEqual([])
})

test('a thousand expected requests in order, and near misses, are looked for in 4,000 within the limit of a test', async () => {
  const emulator = await emulated()
  const snapshot = JSON.parse(JSON.stringify(await emulator.control.state.get()))
  const one = {
    method: 'GET',
    client_ip: '127.0.0.1',
    at: '2026-01-15T12:00:00.000Z',
    cost: 1,
    account_id: 1,
    key_in: 'header',
  }
  const headers = `user-agent: ${'a'.repeat(1_000)}\n`
  snapshot.records.requests = Array.from({ length: 4_000 }, (_, at) => ({
    ...one,
    endpoint: `/api/uploads/${at % 500}`,
    status: 200 + (at % 3),
    headers: at % 2 === 0 ? headers : `${headers}accept: */*\n`,
  }))
  await emulator.control.state.restore(snapshot)
  const slow = { 'user-agent': `${'*a'.repeat(400)}*b*` }
  const in_order = Array.from({ length: 1_000 }, (_, at) => ({
    path: `/api/uploads/*${at % 500}`,
    headers: { accept: '*' },
  }))
  expect(missed(emulator, { in_order }).nearMisses).toHaveLength(5)
  expect(missed(emulator, { in_order: [...in_order.slice(0, 20), { headers: slow }] }).nearMisses).toHaveLength(5)
  expect(missed(emulator, { headers: slow, path: '/api/*9*9*9' }).nearMisses).toHaveLength(5)
})

test('a key that is sent under another name, or in an address, does not reach the log, a message or a snapshot', async () => {
  const emulator = await emulated()
  const secret = 'q7w8e9r0t1y2u3i4'
  const names = ['api-key', 'apikey', 'x-auth-token', 'x-access-token', 'x-secret']
  const headers = { ...Object.fromEntries(names.map((name) => [name, secret])), referer: `http://a/?api_key=${secret}` }
  await emulator.fetch('http://h/api/stats', { headers })
  const { message } = missed(emulator, { headers: { 'user-agent': 'another/1', referer: 'http://b' } })
  const kept = JSON.stringify([emulator.control.requests.list(), await emulator.control.state.get(), message])
  expect(kept).not.toContain(secret)
  expect(() => emulator.control.requests.verify({ headers: { 'api-key': 'zz' } })).toThrow(
    /does not keep the value of api-key/,
  )
  expect(emulator.control.requests.verify({ headers: { 'api-key': '*' } }).found).toBe(1)
})
