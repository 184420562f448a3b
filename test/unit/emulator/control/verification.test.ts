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
const at = '2026-01-15T12:00:00.000Z'

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

/** An upload by curl, then requests of other kinds. */
async function visited() {
  const emulator = await emulated()
  const form = fileForm(bytes)
  await send(emulator, 'POST', '/api/upload', { ...form, headers: { ...form.headers, 'User-Agent': 'curl/8.5' } })
  for (const path of ['/api/stats', '/api/uploads', '/api/uploads/none', '/api/stats'])
    await send(emulator, 'GET', path)
  await send(emulator, 'DELETE', '/api/uploads/none')
  return emulator
}

test.each<[RequestExpectation, number]>([
  [{}, 6],
  [{ method: 'get', path: '/api/stats' }, 2],
  [{ path: '/api/uploads*', status: 404, count: 2 }, 2],
  [{ account_id: 1, count: { min: 6 } }, 6],
  [{ method: 'PUT', count: 0 }, 0],
  [{ method: 'GET', count: { min: 1, max: 4 } }, 4],
  [{ headers: { 'User-Agent': 'curl/8.5' } }, 1],
  [{ headers: { 'user-agent': 'curl/*', 'X-API-KEY': '*', Authorization: null } }, 1],
  [{ file: {} }, 1],
  [{ file: { name: 'photo.*', size: 1_000, sha256: sha256.toUpperCase() }, status: 201, count: 1 }, 1],
])('a verification of %j finds %i requests, over HTTP too', async (expectation, found) => {
  const emulator = await visited()
  expect(emulator.control.requests.verify(expectation)).toEqual({ verified: true, found })
  const over = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect(over).toMatchObject({ status: 200, body: { verified: true, found } })
})

test('a verification that finds too few requests is answered 409 with the closest requests and how they differ', async () => {
  const emulator = await visited()
  const expectation = { method: 'DELETE', path: '/api/uploads/none', status: 200 }
  const { status, body } = await callControl(emulator, 'POST', '/requests/verify', expectation)
  expect([status, body.error.code]).toEqual([409, 'not-as-expected'])
  expect(body.error).toMatchObject({
    message:
      'Expected at least 1 DELETE /api/uploads/none answered 200, but the log has 0. The closest, DELETE ' +
      `/api/uploads/none answered 404 at ${at}, has status 404 instead of 200`,
    expected: { min: 1, max: null },
    found: 0,
    near_misses: [
      { request: { method: 'DELETE' }, differs: { status: { expected: 200, found: 404 } } },
      { differs: { method: { expected: 'DELETE', found: 'GET' }, status: { expected: 200, found: 404 } } },
      {},
      {},
      {},
    ],
  })
})

test('a verification that finds too many requests shows the matching ones in a VerificationError, a ConflictError', async () => {
  const error = missed(await visited(), { path: '/api/stats', count: 1 })
  expect(error).toBeInstanceOf(ConflictError)
  expect(error).toMatchObject({
    name: 'VerificationError',
    code: 'not-as-expected',
    message: `Expected exactly 1 request to /api/stats, but the log has 2, the last of them GET /api/stats answered 200 at ${at}`,
    expected: { min: 1, max: 1 },
    found: 2,
    nearMisses: [1, 2].map(() => ({ request: { endpoint: '/api/stats' }, differs: {} })),
  })
})

test('near misses of a named account are its own requests only, and none if there is no such account', async () => {
  const emulator = await visited()
  const { id: account_id, api_key } = emulator.control.accounts.create()
  const own = () => missed(emulator, { account_id, path: '/api/stats' })
  expect(own()).toMatchObject({ nearMisses: [], message: expect.stringMatching(/Account 2 has no other requests$/) })
  await send(emulator, 'GET', '/api/uploads', { headers: { 'X-Api-Key': api_key } })
  const differs = { path: { expected: '/api/stats', found: '/api/uploads' } }
  expect(own().nearMisses).toMatchObject([{ request: { account_id, endpoint: '/api/uploads' }, differs }])
  expect(missed(emulator, { account_id: 4_711 }).nearMisses).toEqual([])
  expect(missed(emulator, { account_id: 4_711, in_order: [{ path: '/api/stats' }] }).nearMisses).toEqual([])
})

test('a verification of headers and a file says which of them differ', async () => {
  const emulator = await visited()
  const error = missed(emulator, {
    headers: { 'User-Agent': 'filehost/*', Expect: '100-continue', Accept: null },
    file: { name: 'cat.png', size: 5, sha256: '0'.repeat(64) },
  })
  const differs = {
    'headers.user-agent': { expected: 'filehost/*', found: 'curl/8.5' },
    'headers.expect': { expected: '100-continue', found: null },
    'file.name': { expected: 'cat.png', found: 'photo.jpg' },
    'file.size': { expected: 5, found: 1_000 },
    'file.sha256': { expected: '0'.repeat(64), found: sha256 },
  }
  expect(error.nearMisses[0]).toMatchObject({ differs })
  expect(error.message).toMatch(
    /^Expected at least 1 request, with headers.user-agent "filehost\/\*", with headers.expect "100-continue", without headers.accept, with file.name "cat.png", with file.size 5, .* has headers.user-agent "curl\/8.5" instead of "filehost\/\*" and has headers.expect absent instead of "100-continue" and has file.name "photo.jpg" instead of "cat.png"/,
  )
  expect(missed(emulator, { path: '/api/stats', file: {} }).message).toMatch(/with a file.* has no file$/)
})

test('neither a secret of a request nor a key under another name is in the log, a near miss or a snapshot', async () => {
  const emulator = await emulated()
  const { control } = emulator
  const secret = 'q7w8e9r0t1y2u3i4'
  const names = ['authorization', 'cookie', 'proxy-authorization', 'api-key', 'apikey', 'x-auth-token', 'x-secret']
  const kept = { Referer: `http://h/?api_key=${emulator.apiKey}&api_key=${secret}`, 'X-Kept': 'visible' }
  const headers = { ...Object.fromEntries(names.map((name) => [name, secret])), ...kept }
  await send(emulator, 'GET', '/api/stats', { headers })
  await emulator.fetch(new Request(`http://h/api/stats?api_key=${emulator.apiKey}`, { headers: kept }))
  expect(control.requests.verify({ headers: { 'X-Kept': 'visible', referer: '*' } }).found).toBe(2)
  expect(control.requests.verify({ headers: { cookie: '*', authorization: '*', 'api-key': '*' } }).found).toBe(1)
  const unmet = { Referer: 'x', 'X-Kept': 'y', 'x-api-key': null, cookie: null }
  const { nearMisses, message } = missed(emulator, { headers: unmet })
  const all = JSON.stringify([nearMisses, message, control.requests.list(), await control.state.get()])
  expect(all).toContain('visible')
  for (const hidden of [emulator.apiKey, secret]) expect(all).not.toContain(hidden)
})

test.each<[unknown, RegExp]>([
  [{ colour: 'red' }, /no field "colour"; there are account_id, method, path, status, headers, file, count/],
  [{ count: -1 }, /count takes a whole number from zero up, or an object with min, max or both/],
  [{ headers: { 'X-Api-Key': 'k' } }, /The log does not keep the value of X-Api-Key: expect "\*" if it was sent/],
  [{ headers: { accept: 5 } }, /headers takes an object of at most 100 header names and texts/],
  [{ file: 'a.png' }, /file takes an object with any of name, size, sha256/],
  [{ file: { sha256: 'abc' } }, /sha256 takes a SHA-256 of 64 hexadecimal digits/],
  [{ in_order: [] }, /in_order takes a list of one or more/],
  [{ in_order: [{}], method: 'GET' }, /no field "method"; there are account_id, in_order/],
])('the expectation %j is refused, and says why', async (expectation, message) => {
  const { status, body } = await callControl(await emulated(), 'POST', '/requests/verify', expectation)
  expect([status, body.error.code, body.error.message]).toEqual([422, 'invalid-value', expect.stringMatching(message)])
})

test('requests are verified in order, with others between them', async () => {
  const emulator = await emulated()
  for (const path of ['/api/stats', '/api/uploads', '/api/uploads/none', '/api/stats'])
    await send(emulator, 'GET', path)
  const other = emulator.control.accounts.create()
  const { requests } = emulator.control
  const [stats, list, show] = [
    { path: '/api/stats' },
    { path: '/api/uploads' },
    { path: '/api/uploads/*', status: 404 },
  ]
  expect(requests.verify({ in_order: [stats, show, stats] })).toEqual({ verified: true, found: 3 })
  expect(requests.verify({ account_id: 1, in_order: [list, { account_id: 1, path: '/api/s*' }] }).found).toBe(2)
  const late = missed(emulator, { account_id: 1, in_order: [stats, show, list] })
  expect(late).toMatchObject({
    expected: { min: 3, max: null },
    found: 2,
    message:
      `Expected request to /api/uploads of account 1 after GET /api/uploads/none answered 404 at ${at} (request 3 of 3 ` +
      `in order), but the log has none. The closest, GET /api/uploads answered 200 at ${at}, came before it`,
  })
  const order = { in_order: { expected: `after GET /api/uploads/none answered 404 at ${at}`, found: 'before it' } }
  expect(late.nearMisses[0]).toMatchObject({ request: { endpoint: '/api/uploads' }, differs: order })
  expect(missed(emulator, { in_order: [show, show] }).message).toMatch(/came that request itself$/)
  expect(missed(emulator, { account_id: other.id, in_order: [stats] }).nearMisses).toEqual([])
  expect(missed(emulator, { in_order: [stats, { ...stats, account_id: other.id }] }).nearMisses).toEqual([])
})
