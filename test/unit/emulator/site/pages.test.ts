import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import type { RecordDump } from '../../../../emulator/storage/record-types.ts'
import { mediaPath } from '../../../helpers/media.ts'
import { emulated, json, send, uploaded } from '../emulated.ts'
import { plain, visit } from './own-account.ts'
import { signedIn } from './visitor.ts'

async function page(emulator: Emulator, url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await visit(emulator, url, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('spec 1: a file’s page shows the file, its details and its views, including this one', async () => {
  const emulator = await emulated()
  const { slug, url } = await uploaded(emulator)
  const { status, headers, text } = await page(emulator, url)
  expect(status).toBe(200)
  expect(text).toContain(`<title>${slug} · filehost</title>`)
  expect(text).toContain(`<img src="../i/${slug}.jpg?preview" alt="Image ${slug}">`)
  expect(plain(text)).toContain('<dd>1.5 KB</dd>')
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

test('a video has controls, and its thumbnail as a poster once it exists, but for the grey one', async () => {
  const emulator = await emulated()
  const video = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0', 'latin1')
  const { slug, url } = await uploaded(emulator, video)
  const player = `<video src="../i/${slug}.mp4?preview" controls preload="metadata" aria-label="Video ${slug}"></video>`
  expect((await page(emulator, url)).text).toContain(player)
  const [grey, image] = [
    await uploaded(emulator, video),
    await uploaded(emulator, await readFile(mediaPath('photo.jpg'))),
  ]
  for (const each of [grey, image]) await emulator.control.uploads.update(each.slug, { thumbnail: 'ready' })
  expect((await page(emulator, grey.url)).text).not.toContain(' poster="')
  expect((await (await signedIn(emulator)).get('/')).text).toContain('<span class="video">MP4</span>')
  const state = await emulator.control.state.get()
  const [clip, , picture] = (state.records as unknown as RecordDump).uploads
  const records = { ...state.records, uploads: [{ ...clip, thumbnail: picture?.thumbnail }] }
  await emulator.control.state.restore({ ...state, records })
  expect((await page(emulator, url)).text).toContain(` poster="../t/${slug}"`)
})

test('the embed page has only the file, and only it may be framed', async () => {
  const emulator = await emulated()
  const { slug, url } = await uploaded(emulator)
  await emulator.control.uploads.update(slug, { title: `"><script>alert('x')</script>` })
  const embed = await page(emulator, `/e/${slug}`)
  expect(embed.text).toContain(`<img src="../i/${slug}.jpg?preview"`)
  expect(embed.text).toContain('&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;')
  expect(embed.text).not.toMatch(/<header|<script>/)
  const policy = (headers: Headers) => headers.get('Content-Security-Policy')
  expect(policy(embed.headers)?.split('; ')).toContain('frame-ancestors *')
  expect(policy((await page(emulator, url)).headers)).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; " +
      "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
})

test('the landing page shows how to upload to this address, and the largest size, and has no form for files', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 5 * 1_048_576 })
  const { status, text } = await page(emulator, 'http://files.test:81/')
  expect(status).toBe(200)
  expect(text).toContain('-F file=@photo.jpg http://files.test:81/api/upload')
  expect(plain(text)).toContain('JPEG, PNG, GIF, WebP, MP4, WebM, QuickTime (MOV), up to 5 MB')
  expect(text).toContain('export FH_BASE_URL=http://files.test:81 FH_API_KEY=YOUR_KEY</code>')
  expect(text).not.toContain('type="file"')
})

test('spec 1: the site is Romanian on request, the API always English', async () => {
  const emulator = await emulated()
  const romanian = { 'Accept-Language': 'ro-RO,ro;q=0.9,en;q=0.8' }
  const { headers, text } = await page(emulator, (await uploaded(emulator)).url, romanian)
  expect(headers.get('Content-Language')).toBe('ro')
  for (const part of ['<html lang="ro">', '<dt>Vizualizări</dt>', '15 ianuarie 2026']) expect(text).toContain(part)
  expect((await page(emulator, '/i/nothere', romanian)).text).toContain('<h1>Pagina nu a fost găsită</h1>')
  const refusal = await send(emulator, 'POST', '/api/upload', { headers: romanian })
  expect((await json(refusal)).message).toBe('The file field is required.')
})

test.each(['/i/no', '/e/no', '/t/no', '/i/no.jpg'])('%s is answered with a 404 page', async (path) => {
  const { status, headers, text } = await page(await emulated(), path)
  expect([status, headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(text).toContain('<h1>Not found</h1>')
})

test('a file of the site can only be read, with its own extension', async () => {
  const emulator = await emulated()
  const { url, direct_url } = await uploaded(emulator)
  const { status, headers } = await visit(emulator, direct_url, { method: 'DELETE' })
  expect([status, headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
  for (const wrong of ['png', 'JPG']) expect((await visit(emulator, `${url}.${wrong}`)).status).toBe(404)
})

test('a site below a path works there, and behind a proxy that removes the path', async () => {
  const emulator = await emulated({ siteUrl: 'http://site.example/files/' })
  const { slug, direct_url } = await uploaded(emulator)
  expect(direct_url).toBe(`http://site.example/files/i/${slug}.jpg`)
  for (const url of [direct_url, `/i/${slug}`, 'http://site.example/files/', '/']) {
    expect((await page(emulator, url)).status).toBe(200)
  }
})

test('spec 1: a path outside site and API is answered 404, to browsers with a page, and the API’s stay JSON', async () => {
  const emulator = await emulated()
  const program = await send(emulator, 'GET', '/elsewhere')
  expect([program.status, program.headers.get('Content-Type')]).toEqual([404, 'application/json'])
  const browser = await page(emulator, '/no/where', browsers)
  expect(browser.text).toMatch(/href="\.\.\/assets\/site\.[\s\S]*<h1>Not found<\/h1>/)
  for (const path of ['/api/nothing', '/_emulator/nothing']) {
    expect((await page(emulator, path, browsers)).headers.get('Content-Type')).toBe('application/json')
  }
})

const browsers = { Accept: 'text/html,*/*;q=0.8' }

test.each([
  ['/login/', 404, null],
  ['/_emulator/?a', 302, '/_emulator/ui'],
])('a browser that opens %s is answered %i and led to %s', async (path, status, location) => {
  const reply = await visit(await emulated(), path, { redirect: 'manual', headers: browsers })
  expect([reply.status, reply.headers.get('Location')]).toEqual([status, location])
})
