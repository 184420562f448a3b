import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import type { Upload } from '../../../../src/protocol/resources.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

async function uploaded(emulator: Emulator, bytes: Uint8Array = jpegBytes(1_536)): Promise<Upload> {
  return (await json(send(emulator, 'POST', '/api/upload', fileForm(bytes)))).upload
}

async function page(emulator: Emulator, url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await emulator.fetch(new Request(url, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const mp4 = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1')

test('a file’s page shows the file, its details and its views, including this one', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const { status, headers, text } = await page(emulator, upload.url)
  expect(status).toBe(200)
  expect(text).toContain(`<title>${upload.slug} · filehost</title>`)
  expect(text).toContain(`<img src="../i/${upload.slug}.jpg?preview" alt="Image ${upload.slug}">`)
  expect(text.replaceAll('\u00a0', ' ')).toContain('<dd>1.5 KB</dd>')
  expect(text).toContain('<dt>Views</dt><dd>1</dd>')
  expect(text).toContain('January 15, 2026')
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-language': 'en',
    vary: 'Accept-Language, Cookie',
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(text)),
  })
})

test('a video has controls, and its thumbnail as a poster once it exists', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, mp4)
  const before = await page(emulator, upload.url)
  expect(before.text).toContain(
    `<video src="../i/${upload.slug}.mp4?preview" controls preload="metadata" aria-label="Video ${upload.slug}"></video>`,
  )
  await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await page(emulator, upload.url)).text).toContain(` poster="../t/${upload.slug}"`)
})

test('a title is escaped', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  await emulator.control.uploads.update(upload.slug, { title: `"><script>alert('x')</script>` })
  for (const url of [upload.url, upload.url.replace('/i/', '/e/')]) {
    const { text } = await page(emulator, url)
    expect(text).not.toContain('<script>')
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;')
  }
})

test('the embed page has only the file, and only it may be framed', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const embed = await page(emulator, upload.url.replace('/i/', '/e/'))
  expect(embed.text).toContain(`<img src="../i/${upload.slug}.jpg?preview"`)
  expect(embed.text).not.toContain('<header')
  const policy = (headers: Headers) => headers.get('Content-Security-Policy')?.split('; ')
  expect(policy(embed.headers)).toContain('frame-ancestors *')
  const file = await page(emulator, upload.url)
  expect(policy(file.headers)).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
})

test('the landing page shows how to upload to this address, and the largest size', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 5 * 1_048_576 })
  const { status, text } = await page(emulator, 'http://files.test:81/')
  expect(status).toBe(200)
  expect(text).toContain('-F file=@photo.jpg http://files.test:81/api/upload')
  expect(text.replaceAll('\u00a0', ' ')).toContain('JPEG, PNG, GIF, WebP, MP4, WebM, QuickTime (MOV), up to 5 MB')
})

test('the site is Romanian on request, the API always English', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const romanian = { 'Accept-Language': 'ro-RO,ro;q=0.9,en;q=0.8' }
  const { headers, text } = await page(emulator, upload.url, romanian)
  expect(headers.get('Content-Language')).toBe('ro')
  expect(text).toContain('<html lang="ro">')
  expect(text).toContain('<dt>Vizualizări</dt>')
  expect(text).toContain('15 ianuarie 2026')
  expect((await page(emulator, 'http://h/i/nothere', romanian)).text).toContain('<h1>Pagina nu a fost găsită</h1>')
  const refusal = await send(emulator, 'POST', '/api/upload', { headers: romanian })
  expect((await json(refusal)).message).toBe('The file field is required.')
})

test.each(['/i/nothere', '/e/nothere', '/t/nothere', '/i/nothere.jpg'])(
  '%s is answered with a 404 page',
  async (path) => {
    const { status, headers, text } = await page(await emulated(), `http://h${path}`)
    expect([status, headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('<h1>Not found</h1>')
  },
)

test('a file of the site can only be read', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const response = await emulator.fetch(new Request(upload.direct_url, { method: 'DELETE' }))
  expect([response.status, response.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
})

test('a path outside site and API is answered 404', async () => {
  const response = await send(await emulated(), 'GET', '/elsewhere')
  expect([response.status, response.headers.get('X-Fh-Emulator')]).toEqual([404, 'unrouted'])
})

test('a site below a path works there, and behind a proxy that removes the path', async () => {
  const emulator = await emulated({ siteUrl: 'http://site.example/files/' })
  const upload = await uploaded(emulator)
  expect(upload.direct_url).toBe(`http://site.example/files/i/${upload.slug}.jpg`)
  for (const url of [upload.direct_url, `http://h/i/${upload.slug}`, 'http://site.example/files/', 'http://h/']) {
    expect((await page(emulator, url)).status).toBe(200)
  }
})
