import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ByteComparison, decideByBytes, fingerprintOfFile } from '../../src/client/exactly-once/compare-bytes.ts'
import { nodeTransport, type Upload } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** Answers with ranges of these bytes; redirects from /r/ to /i/. */
function serving(stored: Buffer): Step {
  return ({ url, headers }, response) => {
    if (url?.startsWith('/r/')) return response.writeHead(302, { Location: url.replace('/r/', '/i/') }).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const part = stored.subarray(Number(from), Number(to) + 1)
    return response.writeHead(206, { 'Content-Range': `bytes ${from}-${to}/${stored.length}` }).end(part)
  }
}

interface Circumstances {
  readonly path?: string
  readonly signal?: AbortSignal
  readonly more?: Partial<Upload>
}

/** Compares a file with two uploads of its look, whose bytes the site gives with `step`. */
async function compared(file: Buffer, step: Step, { path = '/i/a.jpg', signal, more = {} }: Circumstances = {}) {
  const server = await scriptedServer(step)
  const upload = { ...uploadObject, slug: 'a', size: file.length, direct_url: `${server.baseUrl}${path}`, ...more }
  const place = join(temporaryFolder(), 'a.jpg')
  await writeFile(place, file)
  const options = { transport: nodeTransport(), clock: instantClock(), retries: 2 }
  const sent = {
    fingerprint: fingerprintOfFile(place, createHash('sha256').update(file).digest('hex')),
    mimeType: 'image/jpeg',
    outcome: { type: 'ambiguous', candidates: [upload, { ...upload, slug: 'b' }] },
  } as const
  const comparing = new ByteComparison(options).compareAll([sent], signal ?? new AbortController().signal)
  const done = comparing.then((files) => decideByBytes(files, { keeps: () => true }))
  const ranges = () => server.requests.map(({ headers }) => headers.range)
  return { done, server, ranges }
}

test('a small file is compared from its second byte on, without a key, behind redirects too', async () => {
  const { done, server, ranges } = await compared(jpegBytes(500), serving(jpegBytes(500)), { path: '/r/a.jpg' })
  expect(await done).toMatchObject([{ type: 'stored', upload: { slug: 'a' } }])
  expect(ranges()).toEqual(Array(4).fill('bytes=1-499'))
  for (const { headers } of server.requests) expect(headers).not.toHaveProperty('x-api-key')
})

test.each([
  ['that differs is ruled out', 700_000, 'not-stored'],
  ['with the same bytes is found', undefined, 'stored'],
])('a large file %s by all of it', async (_, at, type) => {
  const stored = jpegBytes(1_000_000)
  if (at !== undefined) stored[at] = 1
  const { done, ranges } = await compared(jpegBytes(1_000_000), serving(stored))
  expect(await done).toMatchObject([{ type }])
  expect(ranges()).toEqual(Array(2).fill('bytes=1-999999'))
})

/** Answers 200 whatever part is asked for. */
const giving =
  (bytes: Buffer, headers: Readonly<Record<string, string>> = { 'Content-Length': String(bytes.length) }): Step =>
  (_, response) =>
    response.writeHead(200, headers).end(bytes)
const unlike = Buffer.concat([jpegBytes(499), Buffer.from('x')])
const chunked = { 'Transfer-Encoding': 'chunked' }

test.each<[string, string, Step, Buffer?]>([
  ['whole proves', 'stored', giving(jpegBytes(500))],
  ['whole, in chunks, proves', 'stored', giving(jpegBytes(500), chunked)],
  ['whole, of a large one, proves', 'stored', giving(jpegBytes(1_000_000)), jpegBytes(1_000_000)],
  ['whole rules out', 'not-stored', giving(unlike)],
  ['of another size proves nothing about', 'ambiguous', giving(jpegBytes(499))],
  ['in fewer chunks proves nothing about', 'ambiguous', giving(jpegBytes(499), chunked)],
  ['in more chunks proves nothing about', 'ambiguous', giving(jpegBytes(501), chunked)],
  ['without an end proves nothing about', 'ambiguous', (_, response) => void response.write(jpegBytes(501))],
  ['packed proves nothing about', 'ambiguous', giving(unlike, { 'Content-Encoding': 'zstd' })],
  ['that is a page proves nothing about', 'ambiguous', giving(unlike, { 'Content-Type': 'text/html; charset=utf-8' })],
])('a site that ignores ranges is asked once for each upload: a 200 %s a file', async (_, type, step, file) => {
  const { done, server } = await compared(file ?? jpegBytes(500), step)
  expect(await done).toMatchObject([{ type }])
  expect(server.requests).toHaveLength(2)
})

const otherPart: Step = (_, response) =>
  response.writeHead(206, { 'Content-Range': 'bytes 0-499/500' }).end(jpegBytes(500))

test.each<[string, number, Step, Buffer?, Partial<Upload>?]>([
  ['a 404 proves nothing', 2, (_, response) => response.writeHead(404).end()],
  ['another part proves nothing', 2, otherPart],
  ['a part without its place proves nothing', 2, (_, response) => response.writeHead(206).end(jpegBytes(499))],
  ['a 416 proves nothing', 2, (_, response) => response.writeHead(416, { 'Content-Range': 'bytes */500' }).end()],
  ['a longer file proves nothing', 2, serving(jpegBytes(501))],
  ['a busy site proves nothing', 2, (_, response) => response.writeHead(429).end()],
  ['a file of one byte is not looked at', 0, serving(Buffer.from([0xff])), Buffer.from([0xff])],
  ['an upload of another size is not looked at', 0, serving(jpegBytes(500)), jpegBytes(500), { size: 501 }],
  ['one of another type is not looked at', 0, serving(jpegBytes(500)), jpegBytes(500), { mime_type: 'image/webp' }],
  ['one without an address is not looked at', 0, otherPart, jpegBytes(500), { direct_url: 'file:///etc/passwd' }],
])('%s, and the outcome stays open', async (_, count, step, file = jpegBytes(500), more = {}) => {
  const { done, server } = await compared(file, step, { more })
  expect(await done).toMatchObject([{ type: 'ambiguous', candidates: [{ slug: 'a' }, { slug: 'b' }] }])
  expect(server.requests).toHaveLength(count)
})

test('a broken connection is tried again', async () => {
  let asked = 0
  const { done } = await compared(jpegBytes(500), (request, response) => {
    asked += 1
    return asked < 3 ? request.socket.resetAndDestroy() : serving(jpegBytes(500))(request, response)
  })
  expect(await done).toMatchObject([{ type: 'stored' }])
})

test('a transfer that stands still ends with the abort', async () => {
  const abort = new AbortController()
  const standing: Step = (_, response) => {
    response.writeHead(206, { 'Content-Range': 'bytes 1-499/500' }).write('x')
    setTimeout(() => abort.abort(), 20)
  }
  const { done } = await compared(jpegBytes(500), standing, { signal: abort.signal })
  await expect(done).rejects.toThrow('aborted')
})
