import { expect, test } from 'vitest'
import type { FaultAction } from '../../../../emulator/index.ts'
import { emulated, send, sendFile } from '../emulated.ts'
import { faultNext } from './fault-next.ts'

interface Row {
  readonly action: FaultAction
  readonly answer: readonly [number, string]
  /** The log entry, charge and uploads. */
  readonly is: readonly [status: number, charged: number, uploads: number]
}

const rows: readonly Row[] = [
  { action: { type: 'status', status: 503 }, answer: [503, 'API temporarily disabled.'], is: [503, 0, 0] },
  { action: { type: 'status', status: 418, body: 'tea' }, answer: [418, 'tea'], is: [418, 0, 0] },
  { action: { type: 'html_error' }, answer: [502, '<h1>502 Bad Gateway</h1>'], is: [502, 0, 0] },
  { action: { type: 'early_response' }, answer: [503, 'API temporarily disabled.'], is: [503, 0, 0] },
  { action: { type: 'early_response', status: 413, bytes: 10 }, answer: [413, 'Content Too Large'], is: [413, 0, 0] },
  { action: { type: 'delay', ms: 5_000 }, answer: [201, '"upload":{"slug"'], is: [201, 10, 1] },
  { action: { type: 'slow_body', ms: 10, bytes: 7 }, answer: [201, '"upload":{"slug"'], is: [201, 10, 1] },
  { action: { type: 'malformed_json' }, answer: [201, '"upload":{"slug"'], is: [201, 10, 1] },
  { action: { type: 'wrong_content_length', bytes: -5 }, answer: [201, '"upload":{"slug"'], is: [201, 10, 1] },
]

test.each(rows)('the fault $action has its answer, log entry, charge and upload', async ({ action, answer, is }) => {
  const emulator = await emulated()
  const consequences = faultNext(emulator, action)
  const response = await sendFile(emulator, 1_000)
  expect([response.status, await response.text()]).toEqual([answer[0], expect.stringContaining(answer[1])])
  const [status, charged, uploads] = is
  expect(consequences()).toMatchObject({ logged: [{ status, cost: charged, fault: action.type }], charged, uploads })
  expect((await sendFile(emulator, 1_000)).status).toBe(201)
  expect(consequences().logged).toHaveLength(1)
})

test.each<[FaultAction, number, number, number]>([
  [{ type: 'reset_before' }, 499, 0, 0],
  [{ type: 'reset_after_body_bytes', bytes: 100 }, 499, 0, 0],
  [{ type: 'reset_after_body_bytes', bytes: 1_000_000 }, 499, 0, 0],
  [{ type: 'commit_then_drop' }, 201, 10, 1],
])('the fault %j rejects fetch with a TypeError, and is logged as %i', async (action, status, charged, uploads) => {
  const emulator = await emulated()
  const consequences = faultNext(emulator, action)
  await expect(sendFile(emulator, 1_000)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } })
  expect(consequences()).toMatchObject({ logged: [{ status, account_id: 1, fault: action.type }], charged, uploads })
})

test('malformed_json removes the last character, and a declared length that is too short cuts the body', async () => {
  const emulator = await emulated()
  faultNext(emulator, { type: 'malformed_json' })
  const malformed = await send(emulator, 'GET', '/api/stats')
  const length = Number(malformed.headers.get('Content-Length'))
  const text = await malformed.text()
  expect([text.length, text.at(-1)]).toEqual([length, '0'])
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  faultNext(emulator, { type: 'wrong_content_length', bytes: -4 })
  const short = await send(emulator, 'GET', '/api/stats')
  expect((await short.text()).length).toBe(Number(short.headers.get('Content-Length')))
})

test('a delay and a slow body advance a virtual clock by their length', async () => {
  const emulator = await emulated()
  const startedAt = emulator.clock.now()
  faultNext(emulator, { type: 'delay', ms: 90_000 })
  await send(emulator, 'GET', '/api/stats')
  expect(emulator.clock.now() - startedAt).toBe(90_000)
  faultNext(emulator, { type: 'slow_body', ms: 1_000, bytes: 10 })
  const text = await (await send(emulator, 'GET', '/api/stats')).text()
  expect(emulator.clock.now() - startedAt - 90_000).toBe((Math.ceil(text.length / 10) - 1) * 1_000)
})

test('a delayed request that is cancelled is not served, on any clock', async () => {
  const emulator = await emulated({ clock: 'system' })
  const consequences = faultNext(emulator, { type: 'delay', ms: 60_000 })
  const signal = AbortSignal.timeout(20)
  await expect(send(emulator, 'GET', '/api/stats', { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(consequences()).toMatchObject({ logged: [{ status: 499, fault: 'delay' }], charged: 0 })
})

test('faults do not hit the control API, the website, requests refused before the quota check, or other accounts', async () => {
  const emulator = await emulated()
  const other = emulator.control.accounts.create().api_key
  const action = { type: 'status', status: 500 } as const
  emulator.control.faults.set([{ match: { account_id: 1 }, times: null, action }])
  const ask = async (path: string, headers = {}) => (await send(emulator, 'GET', path, { headers })).status
  expect(await ask('/_emulator/health')).toBe(200)
  expect(await ask('/')).toBe(200)
  expect(await ask('/api/stats', { 'X-Api-Key': 'wrong' })).toBe(401)
  expect(await ask('/api/stats', { 'X-Api-Key': other })).toBe(200)
  expect(await ask('/api/nothing')).toBe(404)
  expect(emulator.control.faults.list()).toMatchObject([{ seen: 0 }])
  expect(await ask('/api/stats')).toBe(500)
})

test('a reset on arrival hits any API request, and can be limited to an account', async () => {
  const emulator = await emulated()
  emulator.control.settings.update({ api_enabled: false })
  emulator.control.faults.set([{ match: { account_id: 1 }, times: null, action: { type: 'reset_before' } }])
  await expect(send(emulator, 'GET', '/api/nothing')).rejects.toThrow('fetch failed')
  await expect(send(emulator, 'GET', '/api/stats')).rejects.toThrow('fetch failed')
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })).status).toBe(503)
  const logged = emulator.control.requests.list().requests.map(({ status, account_id }) => `${status} ${account_id}`)
  expect(logged).toEqual(['499 1', '499 1', '503 null'])
})
