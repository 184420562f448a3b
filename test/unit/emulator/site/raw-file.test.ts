import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes, mediaFiles, mediaPath } from '../../../helpers/media.ts'
import { emulated, json, send, uploaded } from '../emulated.ts'
import { visit } from './own-account.ts'

async function totalViews(emulator: Emulator): Promise<number> {
  return (await json(send(emulator, 'GET', '/api/stats'))).total_views
}

/** An emulator with one upload of a thousand different bytes. */
async function published() {
  const emulator = await emulated()
  const bytes = Buffer.from([0xff, 0xd8, 0xff, ...Array.from({ length: 997 }, (_, index) => index & 255)])
  const upload = await uploaded(emulator, bytes)
  const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
    visit(emulator, upload.direct_url, { method, headers })
  const views = async () => (await json(send(emulator, 'GET', `/api/uploads/${upload.slug}`))).upload.views
  return { emulator, bytes, ...upload, embed: upload.url.replace('/i/', '/e/'), ask, views }
}

test.each(mediaFiles)('the raw file of %s is the uploaded one, as %s', async (name, mimeType) => {
  const emulator = await emulated()
  const bytes = await readFile(mediaPath(name))
  const response = await visit(emulator, (await uploaded(emulator, bytes)).direct_url)
  expect(response.status).toBe(200)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
  expect(Object.fromEntries(response.headers)).toEqual({
    'accept-ranges': 'bytes',
    'cache-control': 'no-cache',
    'content-length': String(bytes.length),
    'content-security-policy':
      "sandbox allow-same-origin; default-src 'none'; media-src 'self'; style-src 'unsafe-inline'",
    'content-type': mimeType,
    date: 'Thu, 15 Jan 2026 12:00:00 GMT',
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    'last-modified': 'Thu, 15 Jan 2026 12:00:00 GMT',
    'x-content-type-options': 'nosniff',
  })
})

test('a range is answered with its part of the file, and one outside with the size', async () => {
  const { bytes, ask } = await published()
  const part = await ask({ Range: 'bytes=990-' })
  expect([part.status, part.headers.get('Content-Range')]).toEqual([206, 'bytes 990-999/1000'])
  expect(part.headers.get('Content-Length')).toBe('10')
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(990))).toBe(true)
  const none = await ask({ Range: 'bytes=1000-' })
  expect([none.status, none.headers.get('Content-Range'), await none.text()]).toEqual([416, 'bytes */1000', ''])
})

test('a client that already has the file gets a 304, which is no view, and a range of another version the whole file', async () => {
  const { emulator, ask, views } = await published()
  const tag = (await ask({}, 'HEAD')).headers.get('ETag') ?? ''
  const known = await ask({ 'If-None-Match': tag })
  expect([known.status, await known.text(), known.headers.get('ETag')]).toEqual([304, '', tag])
  expect(await views()).toBe(0)
  const ranged = async (version: string) => (await ask({ Range: 'bytes=10-', 'If-Range': version })).status
  expect([await ranged('"another"'), await ranged(tag)]).toEqual([200, 206])
  const other = await uploaded(emulator, 1_000)
  expect((await visit(emulator, other.direct_url)).headers.get('ETag')).not.toBe(tag)
})

test('an answer that begins with the first byte counts as a view, a later part does not', async () => {
  const { ask, views } = await published()
  for (const range of ['0-', '0-0', '-1000', '0-1,2-3', '1-', '-1', '1000-']) {
    await (await ask({ Range: `bytes=${range}` })).arrayBuffer()
  }
  expect(await views()).toBe(4)
})

test('spec 2.1, silence 16: views of page, raw file and embed page add up; the statistics count only the file’s', async () => {
  const { emulator, url, direct_url, embed, views } = await published()
  for (const address of [url, direct_url, embed]) {
    await visit(emulator, address)
    await visit(emulator, address, { method: 'HEAD' })
  }
  expect(await views()).toBe(3)
  expect(await totalViews(emulator)).toBe(1)
  emulator.control.accounts.update(1, { feed_views: 40 })
  expect(await totalViews(emulator)).toBe(41)
})

test('views set by the control API count as file views, later ones add to them, and they stop at the largest exact integer', async () => {
  const { emulator, slug, url, direct_url, views } = await published()
  await visit(emulator, url)
  await emulator.control.uploads.update(slug, { views: 7 })
  await visit(emulator, url)
  expect([await views(), await totalViews(emulator)]).toEqual([8, 7])
  await emulator.control.uploads.update(slug, { views: Number.MAX_SAFE_INTEGER })
  for (const address of [direct_url, url]) expect((await visit(emulator, address)).status).toBe(200)
  expect(await views()).toBe(Number.MAX_SAFE_INTEGER)
})

test('a snapshot separates page views from file views, and one without that separation can be read', async () => {
  const { emulator, url, direct_url, views } = await published()
  for (const address of [url, url, direct_url]) await visit(emulator, address)
  const snapshot = await emulator.control.state.get()
  const earlier: typeof snapshot = JSON.parse(
    JSON.stringify(snapshot).replace(/,"indirect_views":\d+|"indirect_views":\d+,/, ''),
  )
  await emulator.control.reset()
  await emulator.control.state.restore(snapshot)
  expect([await views(), await totalViews(emulator)]).toEqual([3, 1])
  await emulator.control.state.restore(earlier)
  expect([await views(), await totalViews(emulator)]).toEqual([3, 3])
})

test('silence 3: site requests are neither logged nor charged, and ignore any key', async () => {
  const { emulator, ask } = await published()
  emulator.control.settings.update({ api_enabled: false })
  emulator.control.accounts.update(1, { quotas: { burst: 0 } })
  const { status, headers } = await ask({ 'X-Api-Key': 'wrong' })
  expect([status, headers.has('X-RateLimit-Cost')]).toEqual([200, false])
  expect(emulator.control.requests.list().requests).toHaveLength(1)
})

/** Larger than memory and socket buffers; each byte shows its position. */
const bytes = jpegBytes(24 * 1_048_576).map((byte, index) => (index < 4 ? byte : index >> 12))

test('a file deleted while it is being sent is sent to its end', async () => {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const { slug } = await uploaded(emulator, bytes)
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => get(`${baseUrl}/i/${slug}.jpg`, resolve).on('error', reject))
  const response = await open()
  expect((await send(emulator, 'DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await buffer(response)).equals(bytes)).toBe(true)
  expect((await open()).statusCode).toBe(404)
})
