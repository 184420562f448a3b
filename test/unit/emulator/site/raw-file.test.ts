import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { mediaTypes } from '../../../../src/protocol/media-types.ts'
import type { Upload } from '../../../../src/protocol/resources.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

async function uploaded(emulator: Emulator, bytes: Uint8Array): Promise<Upload> {
  return (await json(send(emulator, 'POST', '/api/upload', fileForm(bytes)))).upload
}

/** A site request, without a key. */
function visit(emulator: Emulator, url: string, init: RequestInit = {}): Promise<Response> {
  return emulator.fetch(new Request(url, init))
}

const ranged = (range: string, more: Readonly<Record<string, string>> = {}) => ({ headers: { Range: range, ...more } })

async function totalViews(emulator: Emulator): Promise<number> {
  return (await json(send(emulator, 'GET', '/api/stats'))).total_views
}

async function views(emulator: Emulator, { slug }: Upload): Promise<number> {
  return (await json(send(emulator, 'GET', `/api/uploads/${slug}`))).upload.views
}

const files = ['photo.jpg', 'picture.png', 'animation.gif', 'picture.webp', 'clip.mp4', 'clip.webm', 'clip.mov']

test.each(files.map((name, index) => [name, mediaTypes[index]?.mimeType]))(
  'the raw file of %s is the uploaded one, as %s',
  async (name, mimeType) => {
    const emulator = await emulated()
    const bytes = await readFile(mediaPath(name))
    const upload = await uploaded(emulator, bytes)
    const response = await visit(emulator, upload.direct_url)
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
  },
)

test('a HEAD has the headers of a GET, no body, and counts no view', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  const head = await visit(emulator, upload.direct_url, { method: 'HEAD', ...ranged('bytes=0-9') })
  expect(await views(emulator, upload)).toBe(0)
  const get = await visit(emulator, upload.direct_url)
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers))
})

test('a wrong extension, an unknown slug and a deleted upload are answered 404', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(10))
  const status = async (url: string) => (await visit(emulator, url)).status
  expect(await status(`${upload.url}.png`)).toBe(404)
  expect(await status(`${upload.url}.JPG`)).toBe(404)
  expect(await status('http://h/i/nothere.jpg')).toBe(404)
  await send(emulator, 'DELETE', `/api/uploads/${upload.slug}`)
  expect([await status(upload.direct_url), await status(upload.url)]).toEqual([404, 404])
})

test.each([
  ['bytes=0-3', 'bytes 0-3/1000', 4],
  ['bytes=990-', 'bytes 990-999/1000', 10],
  ['bytes=-5', 'bytes 995-999/1000', 5],
  ['bytes=998-5000', 'bytes 998-999/1000', 2],
])('the range %s is answered with a part, %s', async (range, contentRange, length) => {
  const emulator = await emulated()
  const bytes = jpegBytes(1_000).map((byte, index) => byte ^ index)
  bytes.set([0xff, 0xd8, 0xff])
  const upload = await uploaded(emulator, bytes)
  const response = await visit(emulator, upload.direct_url, ranged(range))
  expect([response.status, response.headers.get('Content-Range')]).toEqual([206, contentRange])
  expect(response.headers.get('Content-Length')).toBe(String(length))
  const [start = 0, end = 0] = contentRange.match(/\d+/g)?.map(Number) ?? []
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true)
})

test('a range outside the file is answered 416 with its size', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  const response = await visit(emulator, upload.direct_url, ranged('bytes=1000-'))
  const { status, headers } = response
  expect([status, headers.get('Content-Range'), await response.text()]).toEqual([416, 'bytes */1000', ''])
})

test('several ranges, or a range of another version, are answered with the whole file', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  const etag = (await visit(emulator, upload.direct_url, { method: 'HEAD' })).headers.get('ETag') ?? ''
  const answered = async (range: string, headers = {}) => {
    const response = await visit(emulator, upload.direct_url, ranged(range, headers))
    return [response.status, (await response.arrayBuffer()).byteLength]
  }
  expect(await answered('bytes=0-1,5-6')).toEqual([200, 1_000])
  expect(await answered('bytes=10-', { 'If-Range': '"another"' })).toEqual([200, 1_000])
  expect(await answered('bytes=10-', { 'If-Range': etag })).toEqual([206, 990])
})

test('a client that already has the file gets a 304, which is no view', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  const etag = (await visit(emulator, upload.direct_url, { method: 'HEAD' })).headers.get('ETag') ?? ''
  const known = await visit(emulator, upload.direct_url, { headers: { 'If-None-Match': etag } })
  expect([known.status, await known.text(), known.headers.get('ETag')]).toEqual([304, '', etag])
  expect(await views(emulator, upload)).toBe(0)
})

test('two files have different entity tags', async () => {
  const emulator = await emulated()
  const urls = [await uploaded(emulator, jpegBytes(10)), await uploaded(emulator, jpegBytes(10))].map(
    (u) => u.direct_url,
  )
  const tags = await Promise.all(urls.map(async (url) => (await visit(emulator, url)).headers.get('ETag')))
  expect(new Set(tags).size).toBe(2)
})

test('an answer that begins with the first byte counts as a view, a later part does not', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  for (const range of [
    'bytes=0-',
    'bytes=0-0',
    'bytes=-1000',
    'bytes=0-1,2-3',
    'bytes=1-',
    'bytes=-1',
    'bytes=1000-',
  ]) {
    await (await visit(emulator, upload.direct_url, ranged(range))).arrayBuffer()
  }
  expect(await views(emulator, upload)).toBe(4)
})

test('views of page, raw file and embed page add up; the statistics count only the file’s', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  for (const url of [upload.url, upload.direct_url, upload.url.replace('/i/', '/e/')]) {
    await visit(emulator, url)
    await visit(emulator, url, { method: 'HEAD' })
  }
  expect(await views(emulator, upload)).toBe(3)
  expect(await totalViews(emulator)).toBe(1)
  emulator.control.accounts.update(1, { feed_views: 40 })
  expect(await totalViews(emulator)).toBe(41)
})

test('the picture that a page loads for itself adds no view', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  for (const page of [upload.url, upload.url.replace('/i/', '/e/')]) {
    const [, source = ''] = /<img src="([^"]+)"/.exec(await (await visit(emulator, page)).text()) ?? []
    const picture = await visit(emulator, new URL(source, page).href)
    expect([picture.status, (await picture.arrayBuffer()).byteLength]).toEqual([200, 1_000])
  }
  expect([await views(emulator, upload), await totalViews(emulator)]).toEqual([2, 0])
})

test('views set by the control API count as file views, and later ones add to them', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  await visit(emulator, upload.url)
  await emulator.control.uploads.update(upload.slug, { views: 7 })
  await visit(emulator, upload.url)
  expect([await views(emulator, upload), await totalViews(emulator)]).toEqual([8, 7])
  await emulator.control.uploads.update(upload.slug, { likes: 1 })
  expect(await totalViews(emulator)).toBe(7)
})

test('a snapshot separates page views from file views, and one without that separation can be read', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  for (const url of [upload.url, upload.url, upload.direct_url]) await visit(emulator, url)
  const snapshot = await emulator.control.state.get()
  const earlier: typeof snapshot = JSON.parse(
    JSON.stringify(snapshot).replace(/,"indirect_views":\d+|"indirect_views":\d+,/, ''),
  )
  await emulator.control.reset()
  await emulator.control.state.restore(snapshot)
  expect([await views(emulator, upload), await totalViews(emulator)]).toEqual([3, 1])
  await emulator.control.state.restore(earlier)
  expect([await views(emulator, upload), await totalViews(emulator)]).toEqual([3, 3])
})

test('views stop at the largest exact integer, which another emulator accepts in a snapshot', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(500))
  await emulator.control.uploads.update(upload.slug, { views: Number.MAX_SAFE_INTEGER })
  for (const path of [`/i/${upload.slug}.jpg`, `/i/${upload.slug}`, `/i/${upload.slug}.jpg`]) {
    expect((await visit(emulator, `http://h${path}`)).status).toBe(200)
  }
  const snapshot = await emulator.control.state.get()
  const other = await emulated()
  await other.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
  expect(await other.control.state.get()).toEqual(snapshot)
  const answer = await json(
    send(other, 'GET', `/api/uploads/${upload.slug}`, { headers: { 'X-Api-Key': emulator.apiKey } }),
  )
  expect(answer.upload.views).toBe(Number.MAX_SAFE_INTEGER)
})

test('site requests are neither logged nor charged, and ignore any key', async () => {
  const emulator = await emulated({ quotas: { burst: 10, minute: 10, hour: 10, day: 10 } })
  const upload = await uploaded(emulator, jpegBytes(1_000))
  emulator.control.settings.update({ api_enabled: false })
  const response = await visit(emulator, upload.direct_url, { headers: { 'X-Api-Key': 'wrong' } })
  expect([response.status, response.headers.has('X-RateLimit-Cost')]).toEqual([200, false])
  expect(emulator.control.requests.list().requests).toHaveLength(1)
})

test('a file in the temporary folder is read only on demand', async () => {
  const emulator = await emulated()
  const bytes = jpegBytes(5 * 1_048_576)
  const upload = await uploaded(emulator, bytes)
  const whole = await (await visit(emulator, upload.direct_url)).arrayBuffer()
  const digest = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
  expect(digest(new Uint8Array(whole))).toBe(digest(bytes))
  const response = await visit(emulator, upload.direct_url)
  const reader = response.body?.getReader()
  expect((await reader?.read())?.value?.length).toBe(262_144)
  await reader?.cancel()
})

test('an abort during a file ends the answer with its reason', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(5 * 1_048_576))
  const controller = new AbortController()
  const response = await visit(emulator, upload.direct_url, { signal: controller.signal })
  const reader = response.body?.getReader()
  await reader?.read()
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(reader?.read()).rejects.toBe(reason)
})
