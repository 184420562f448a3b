import { expect, test } from 'vitest'
import { createEmulator, createVirtualClock, type Emulator } from '../../../emulator/index.ts'
import { jpegBytes } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'
import { emulated, json, send } from './emulated.ts'

async function upload(emulator: Emulator, headers: Readonly<Record<string, string>> = {}, size = 10) {
  const form = fileForm(jpegBytes(size))
  const response = await send(emulator, 'POST', '/api/upload', { ...form, headers: { ...form.headers, ...headers } })
  return (await json(response)).upload
}

test('two accounts share no lists, slugs, statistics or quotas', async () => {
  const emulator = await emulated({ quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 } })
  const other = { 'X-Api-Key': emulator.control.accounts.create().api_key }
  const mine = await upload(emulator)
  expect((await send(emulator, 'GET', `/api/uploads/${mine.slug}`, { headers: other })).status).toBe(404)
  expect((await send(emulator, 'DELETE', `/api/uploads/${mine.slug}`, { headers: other })).status).toBe(404)
  expect((await json(send(emulator, 'GET', '/api/uploads', { headers: other }))).data).toEqual([])
  expect(await json(send(emulator, 'GET', '/api/stats', { headers: other }))).toEqual({
    uploads: 0,
    albums: 0,
    total_views: 0,
    api_requests: 3,
  })
  await upload(emulator)
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(429)
  expect((await send(emulator, 'GET', '/api/stats', { headers: other })).status).toBe(200)
})

test('the quota admits exactly its limit of parallel requests', async () => {
  const emulator = await emulated({ quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 } })
  const responses = await Promise.all(Array.from({ length: 50 }, () => send(emulator, 'GET', '/api/stats')))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(30)
  expect(emulator.control.accounts.quota(1).burst).toMatchObject({ used: 20, remaining: 0 })
})

test('parallel uploads are all stored, each with its own slug and size', async () => {
  const emulator = await emulated()
  const sizes = Array.from({ length: 20 }, (_, index) => 1_000 * (index + 1))
  const uploads = await Promise.all(sizes.map((size) => upload(emulator, {}, size)))
  expect(uploads.map(({ size }) => size)).toEqual(sizes)
  expect(new Set(uploads.map(({ slug }) => slug)).size).toBe(20)
  expect((await json(send(emulator, 'GET', '/api/uploads'))).total).toBe(20)
})

test('a soft delay moves a virtual clock by its length, and the answer comes at once', async () => {
  const emulator = await emulated({ quotas: { minute: 10 } })
  const before = emulator.clock.now()
  await upload(emulator)
  expect(emulator.clock.now() - before).toBe(2_000)
})

test('an aborted fetch rejects with the signal’s reason, is logged as unanswered (499) and stores nothing', async () => {
  const emulator = await emulated()
  const controller = new AbortController()
  const form = fileForm(jpegBytes(10_000))
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(form.body.subarray(0, 5_000)),
  })
  const answer = send(emulator, 'POST', '/api/upload', { headers: form.headers, body, signal: controller.signal })
  await new Promise((resolve) => setImmediate(resolve))
  const reason = new Error('changed my mind')
  controller.abort(reason)
  await expect(answer).rejects.toBe(reason)
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10 }])
  expect((await json(send(emulator, 'GET', '/api/stats'))).uploads).toBe(0)
  await expect(send(emulator, 'GET', '/api/stats', { signal: controller.signal })).rejects.toBe(reason)
})

test('an emulator with a clock of the caller’s follows that clock', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 6, 1))
  const emulator = await emulated({ clock })
  await clock.advance(90_000)
  expect((await upload(emulator)).created_at).toBe('2026-07-01T03:01:30+03:00')
  expect(emulator.clock).toBe(clock)
})

test('a closed emulator rejects every request and can be closed again', async () => {
  const emulator = await createEmulator()
  await Promise.all([emulator.close(), emulator.close()])
  await emulator[Symbol.asyncDispose]()
  await expect(send(emulator, 'GET', '/api/stats')).rejects.toThrow('The emulator is closed')
})

test.each([
  [{ apiKey: '' }, 'apiKey must be one or more visible ASCII characters'],
  [{ apiKey: 'two words' }, 'apiKey must be one or more visible ASCII characters'],
  [{ siteUrl: 'site.example' }, 'siteUrl must be an http or https URL, but got "site.example"'],
  [{ siteUrl: 'ftp://site.example' }, 'siteUrl must be an http or https URL'],
  [{ quotas: { minute: -1 } }, 'The setting quotas takes'],
  [{ maxFileSizeBytes: 0 }, 'The setting max_file_size takes'],
  [{ clock: 'fast' as 'virtual' }, "clock must be 'system', 'virtual', 'auto' or a clock, but got \"fast\""],
])('createEmulator refuses the options %j with the reason', async (options, message) => {
  await expect(createEmulator(options)).rejects.toThrow(message)
})
