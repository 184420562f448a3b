import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Emulator, EtiquetteKind } from '../../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, send, sendFile } from '../emulated.ts'
import { callControl } from './control-call.ts'

const stats = (emulator: Emulator, times = 1) =>
  Array.from({ length: times }).reduce<Promise<unknown>>(
    (before) => before.then(() => send(emulator, 'GET', '/api/stats')),
    Promise.resolve(),
  )

const countsOf = ({ control }: Emulator): Partial<Record<EtiquetteKind, number>> =>
  Object.fromEntries(control.report().findings.map(({ kind, count }) => [kind, count]))

test('the report of a well-behaved client is clean', async () => {
  const emulator = await emulated({ quotas: { minute: 3 } })
  await stats(emulator, 3)
  await emulator.control.clock.advance('60s')
  await stats(emulator)
  expect(emulator.control.report()).toEqual({ clean: true, requests: 4, dropped: 0, findings: [] })
})

test('every request before the end of Retry-After is reported', async () => {
  const emulator = await emulated({ quotas: { burst: 2 } })
  await stats(emulator, 3)
  expect(countsOf(emulator)).toEqual({})
  await emulator.control.clock.advance('9s')
  await stats(emulator, 2)
  await emulator.control.clock.advance('1s')
  await stats(emulator)
  expect(emulator.control.report().findings).toMatchObject([
    {
      kind: 'before_retry_after',
      count: 2,
      units: 0,
      advice: expect.stringContaining('Retry-After'),
      requests: [
        { method: 'GET', endpoint: '/api/stats', status: 429, due_at: '2026-01-15T12:00:10.000Z' },
        { at: '2026-01-15T12:00:09.000Z' },
      ],
    },
  ])
})

test.each(['upload', 'upload/'])('after a 429 to %s, a smaller early request counts only if refused', async (to) => {
  const emulator = await emulated({ quotas: { burst: 11 } })
  await sendFile(emulator, 1_000)
  await send(emulator, 'POST', `/api/${to}`, fileForm(jpegBytes(2_000)))
  await stats(emulator)
  expect(countsOf(emulator)).toEqual({})
  await stats(emulator)
  expect(countsOf(emulator)).toEqual({ before_retry_after: 1 })
})

test.each([60, 'http_date'] as const)(
  'a request to a disabled service before the Retry-After of %j is reported',
  async (unavailable_retry_after) => {
    const emulator = await emulated({ settings: { api_enabled: false, unavailable_retry_after } })
    const other = { headers: { 'X-Api-Key': emulator.control.accounts.create().api_key } }
    await stats(emulator)
    await send(emulator, 'GET', '/api/stats', other)
    expect(countsOf(emulator)).toEqual({})
    emulator.control.settings.update({ api_enabled: true })
    await stats(emulator)
    emulator.control.settings.update({ api_enabled: false })
    await stats(emulator)
    expect(countsOf(emulator)).toEqual({ before_retry_after: 2 })
    await emulator.control.clock.advance('60s')
    await send(emulator, 'GET', '/api/stats', other)
    expect(countsOf(emulator)).toEqual({ before_retry_after: 2 })
  },
)

test('a Retry-After from a fault counts like any other, unless it is beyond all dates or before a reset', async () => {
  const emulator = await emulated()
  const headers = { 'retry-after': '30' }
  emulator.control.faults.set([{ action: { type: 'status', status: 503, headers } }])
  await stats(emulator, 2)
  expect(countsOf(emulator)).toEqual({ before_retry_after: 1 })
  await emulator.control.reset()
  emulator.control.settings.update({ api_enabled: false })
  await stats(emulator)
  for (const value of ['99999999999999999', 'Fri, 01 Jan 10000 00:00:00 GMT']) {
    await emulator.control.reset()
    emulator.control.faults.set([{ action: { type: 'status', status: 429, headers: { 'Retry-After': value } } }])
    await stats(emulator, 2)
    expect(emulator.control.report()).toMatchObject({ clean: true, requests: 2 })
  }
})

test('a request that costs more than X-RateLimit-Remaining is reported if it is refused', async () => {
  const emulator = await emulated({ quotas: { minute: 12 } })
  await sendFile(emulator, 1_000)
  await sendFile(emulator, 2_000)
  expect(countsOf(emulator)).toEqual({ without_remaining: 1 })
  await emulator.control.clock.advance('60s')
  await stats(emulator, 13)
  expect(emulator.control.report().findings).toMatchObject([
    {
      kind: 'without_remaining',
      count: 2,
      requests: [
        { method: 'POST', status: 429 },
        { method: 'GET', due_at: expect.stringMatching(/^2026-01-15T12:02:/) },
      ],
    },
  ])
})

test('a request that was already in progress when the 429 was sent is not reported', async () => {
  const emulator = await emulated({ quotas: { burst: 1 } })
  await Promise.all([stats(emulator), stats(emulator), stats(emulator)])
  expect(countsOf(emulator)).toEqual({})
})

test('the same bytes stored again within ten minutes of a lost answer are reported as a duplicate upload', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([{ action: { type: 'truncate_response' } }])
  await sendFile(emulator, 1_000)
  await sendFile(emulator, 1_001)
  const other = { 'X-Api-Key': emulator.control.accounts.create().api_key }
  const form = fileForm(jpegBytes(1_000))
  await send(emulator, 'POST', '/api/upload', { ...form, headers: { ...form.headers, ...other } })
  expect(countsOf(emulator)).toEqual({})
  await emulator.control.clock.advance('10m')
  await sendFile(emulator, 1_000)
  expect(emulator.control.report().findings).toMatchObject([
    { kind: 'duplicate_upload', count: 1, units: 10, requests: [{ stored_at: '2026-01-15T12:00:00.000Z' }] },
  ])
  await sendFile(emulator, 1_000)
  expect(countsOf(emulator)).toEqual({ duplicate_upload: 1 })
  await emulator.control.reset()
  emulator.control.faults.set([{ action: { type: 'truncate_response' } }])
  await sendFile(emulator, 1_000)
  await emulator.control.clock.advance('601s')
  await sendFile(emulator, 1_000)
  expect(countsOf(emulator)).toEqual({})
})

test('the same bytes after a client that left before its answer are a duplicate upload', async () => {
  // Starting the process that makes the thumbnail takes longer than the client stays.
  const emulator = await emulated({ settings: { thumbnail: 'immediate' } })
  const { headers, body } = fileForm(await readFile(mediaPath('photo.jpg')))
  const init = { method: 'POST', headers: { ...headers, 'X-Api-Key': emulator.apiKey }, body }
  await emulator.fetch(new Request('http://h/api/upload', { ...init, signal: AbortSignal.timeout(5) })).catch(() => {})
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10 }])
  await emulator.fetch(new Request('http://h/api/upload', init))
  expect(countsOf(emulator)).toEqual({ duplicate_upload: 1 })
})

test('a repeated POST after a dropped answer is reported, unless it stored nothing new', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([{ action: { type: 'commit_then_drop' } }])
  await sendFile(emulator, 1_000).catch(() => {})
  await sendFile(emulator, 1_000)
  expect(countsOf(emulator)).toEqual({ duplicate_upload: 1 })
  emulator.control.settings.update({ duplicate_content: 'same_slug' })
  await sendFile(emulator, 1_000)
  expect(countsOf(emulator)).toEqual({ duplicate_upload: 1 })
})

test('units charged for refused requests are reported as wasted, unless a fault refused them', async () => {
  const emulator = await emulated()
  await sendFile(emulator, Buffer.from('text'))
  await send(emulator, 'DELETE', '/api/uploads/none')
  emulator.control.faults.set([{ action: { type: 'status', status: 404 } }])
  await send(emulator, 'GET', '/api/uploads/none')
  expect(emulator.control.report().findings).toMatchObject([{ kind: 'wasted_units', count: 2, units: 13 }])
})

test('the report over HTTP equals the typed one, also for one account or since an instant', async () => {
  const emulator = await emulated()
  await send(emulator, 'GET', '/api/uploads/none')
  const { account_id } = { account_id: 1 }
  const over = async (query: string) => (await callControl(emulator, 'GET', `/report${query}`)).body
  expect(await over('')).toEqual(emulator.control.report())
  expect(await over('?account_id=1')).toEqual(emulator.control.report({ account_id }))
  expect(await over('?account_id=2')).toMatchObject({ clean: true, requests: 0 })
  expect(await over('?since=2026-01-15T12:00:01Z')).toMatchObject({ clean: true, requests: 0 })
  expect((await over('?since=soon')).error.message).toMatch(/since takes an instant/)
  expect((await over('?status=200')).error.message).toMatch(/There is no field "status"; there are account_id, since/)
})
