import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../emulator/index.ts'
import { jpegBytes } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'
import { filesIn, temporaryFolder } from '../../helpers/temporary-folder.ts'
import { emulated, json, send, uploaded } from './emulated.ts'

/** Ends an emulator and starts the next on the same folder. */
async function restarted(emulator: Emulator, options: EmulatorOptions): Promise<Emulator> {
  await emulator.close()
  return emulated(options)
}

test('a restart on the same data folder keeps uploads, log, statistics, quotas, accounts and the first key', async () => {
  const data = temporaryFolder()
  const options = { data, quotas: { minute: 60 } }
  const before = await emulated(options)
  const kept = await uploaded(before)
  await send(before, 'DELETE', '/api/uploads/none')
  const other = before.control.accounts.create()
  before.control.accounts.update(other.id, { suspended: true, suspension_reason: 'for a while' })
  const requests = before.control.requests.list()
  const [quota, report] = [before.control.accounts.quota(1), before.control.report()]
  const after = await restarted(before, options)
  expect(after.apiKey).toBe(before.apiKey)
  expect(after.control.requests.list()).toEqual(requests)
  expect([after.control.accounts.quota(1), after.control.report()]).toEqual([quota, report])
  expect(report).toMatchObject({ clean: false })
  expect((await json(send(after, 'GET', `/api/uploads/${kept.slug}`))).upload.slug).toBe(kept.slug)
  expect(await json(send(after, 'GET', '/api/stats', { headers: { 'X-Api-Key': other.api_key } }))).toEqual({
    error: 'for a while',
  })
  const stats = await json(send(after, 'GET', '/api/stats'))
  expect(stats).toMatchObject({ uploads: 1, api_requests: 3 })
})

test('a data folder stores keys as hashes, except the first account’s, which every start shows', async () => {
  const data = temporaryFolder()
  const emulator = await emulated({ data })
  const other = emulator.control.accounts.create()
  await send(emulator, 'GET', '/api/stats')
  await emulator.close()
  const holding = (text: string) =>
    filesIn(data).flatMap((path) => (readFileSync(path).includes(text) ? [basename(path)] : []))
  expect([holding(emulator.apiKey), holding(other.api_key), holding(other.password)]).toEqual([['records.db'], [], []])
})

test('an apiKey given at a restart replaces the first account’s key, and the account keeps its uploads', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const { slug } = await uploaded(before)
  const renamed = await restarted(before, { data, apiKey: 'my-key' })
  expect(renamed.apiKey).toBe('my-key')
  expect(await json(send(renamed, 'GET', '/api/uploads'))).toMatchObject({ data: [{ slug }] })
  const old = { headers: { 'X-Api-Key': before.apiKey } }
  expect((await send(renamed, 'GET', '/api/stats', old)).status).toBe(401)
  expect((await restarted(renamed, { data })).apiKey).toBe('my-key')
})

test('a regenerated first key is kept for the next run; another account’s is not', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const { api_key } = before.control.accounts.regenerateKey(1)
  before.control.accounts.regenerateKey(before.control.accounts.create().id)
  expect((await restarted(before, { data })).apiKey).toBe(api_key)
})

test('an apiKey that another account has is refused, and the data folder is unlocked afterwards', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const { api_key } = before.control.accounts.create()
  await expect(restarted(before, { data, apiKey: api_key })).rejects.toThrow('API key')
  expect((await emulated({ data })).apiKey).toBe(before.apiKey)
})

test('a virtual clock continues from the same instant after a restart', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  await before.control.clock.advance('90m')
  const { created_at } = await uploaded(before)
  expect((await restarted(before, { data })).control.clock.get()).toEqual({
    now: '2026-01-15T13:30:00.000Z',
    mode: 'virtual',
  })
  expect(created_at).toBe('2026-01-15T15:30:00+02:00')
})

test('deleting an upload removes its file before the answer is sent', async () => {
  const data = temporaryFolder()
  const emulator = await emulated({ data, settings: { thumbnail: 'never' } })
  const { slug } = await uploaded(emulator, 2_000_000)
  const blobs = () => filesIn(join(data, 'blobs')).map((path) => basename(path))
  expect(blobs()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  expect((await send(emulator, 'DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect(blobs()).toEqual([])
})

test('a thumbnail leaves no file when it is removed, nor when its upload is deleted, before or after it was made', async () => {
  const data = temporaryFolder()
  const emulator = await emulated({ data })
  const files = () => filesIn(join(data, 'blobs')).length
  const [first, second] = [await uploaded(emulator, 500), await uploaded(emulator, 600)]
  await emulator.control.uploads.update(first.slug, { thumbnail: 'ready' })
  expect(files()).toBe(3)
  await emulator.control.uploads.update(first.slug, { thumbnail: 'none' })
  await expect.poll(files).toBe(2)
  await emulator.control.uploads.update(first.slug, { thumbnail: 'ready' })
  for (const { slug } of [first, second]) await send(emulator, 'DELETE', `/api/uploads/${slug}`)
  await emulator.control.clock.advance('1m')
  await expect.poll(files).toBe(0)
})

test('a refused file leaves nothing in the data folder', async () => {
  const data = temporaryFolder()
  const emulator = await emulated({ data, maxFileSizeBytes: 1_500_000 })
  const form = fileForm(jpegBytes(2_000_000))
  expect((await send(emulator, 'POST', '/api/upload', form)).status).toBe(422)
  expect(filesIn(join(data, 'blobs'))).toEqual([])
  await emulator.close()
  expect(filesIn(join(data, 'tmp'))).toEqual([])
})

test('a restore and a reset remove the files of the uploads that they replace, also for the next run', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const empty = await before.control.state.get()
  await uploaded(before)
  await send(before, 'PUT', '/_emulator/state', { body: JSON.stringify(empty) })
  expect(filesIn(join(data, 'blobs'))).toEqual([])
  await uploaded(before)
  await send(before, 'POST', '/_emulator/reset')
  await before.control.clock.advance('1h')
  expect(filesIn(join(data, 'blobs'))).toEqual([])
  const after = await restarted(before, { data })
  expect(after.apiKey).toBe(before.apiKey)
  expect((await json(send(after, 'GET', '/api/stats'))).uploads).toBe(0)
})
