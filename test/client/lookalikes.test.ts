import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { printOfFile } from '../../src/client/exactly-once/file-print.ts'
import { createLookalikes } from '../../src/client/exactly-once/lookalikes.ts'
import { nodeTransport, type Upload } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'
import { type Step, scriptedServer } from '../helpers/scripted-server.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-alike-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const never = new AbortController().signal

/** Answers with ranges of these bytes; redirects from /r/ to /i/. */
function serving(stored: Buffer): Step {
  return ({ url, headers }, response) => {
    if (url?.startsWith('/r/')) return response.writeHead(302, { Location: url.replace('/r/', '/i/') }).end()
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const part = stored.subarray(Number(from), Number(to) + 1)
    return response.writeHead(206, { 'Content-Range': `bytes ${from}-${to}/${stored.length}` }).end(part)
  }
}

async function compared(
  file: Buffer,
  step: Step,
  {
    path = '/i/a.jpg',
    signal = never,
    more = {},
  }: { path?: string; signal?: AbortSignal; more?: Partial<Upload> } = {},
) {
  const server = await scriptedServer(step)
  const upload = { ...uploadObject, slug: 'a', size: file.length, direct_url: `${server.baseUrl}${path}`, ...more }
  await writeFile(join(folder, 'a.jpg'), file)
  const lookalikes = createLookalikes({
    transport: nodeTransport(),
    clock: instantClock(),
    retries: 2,
    keeps: () => true,
  })
  const sent = {
    print: printOfFile(join(folder, 'a.jpg'), createHash('sha256').update(file).digest('hex')),
    mimeType: 'image/jpeg',
    outcome: { type: 'ambiguous', candidates: [upload, { ...upload, slug: 'b' }] },
  } as const
  const done = lookalikes.tellApart([sent], signal)
  const ranges = () => server.requests.map(({ headers }) => headers.range)
  return { done, server, ranges }
}

test('a small file is compared from its second byte on, without a key, behind redirects too', async () => {
  const { done, server, ranges } = await compared(jpegBytes(500), serving(jpegBytes(500)), { path: '/r/a.jpg' })
  expect(await done).toMatchObject([{ type: 'stored', upload: { slug: 'a' } }])
  expect(ranges()).toEqual(Array(4).fill('bytes=1-499'))
  for (const { headers } of server.requests) expect(headers).not.toHaveProperty('x-api-key')
})

test('a large file that differs is ruled out by a sample, one that differs elsewhere by all of it', async () => {
  const file = jpegBytes(1_000_000)
  const [atEnd, elsewhere] = [Buffer.from(file), Buffer.from(file)]
  atEnd[999_999] = 1
  elsewhere[700_000] = 1
  const samples = ['bytes=250000-251023', 'bytes=500000-501023', 'bytes=998976-999999']
  for (const [stored, asked] of [
    [atEnd, samples],
    [elsewhere, [...samples, 'bytes=1-999999']],
  ] as const) {
    const { done, ranges } = await compared(file, serving(stored))
    expect(await done).toEqual([{ type: 'not-stored' }])
    expect(ranges()).toEqual([...asked, ...asked])
  }
})

test('a large file with the same bytes is found', async () => {
  const { done, ranges } = await compared(jpegBytes(300_001), serving(jpegBytes(300_001)))
  expect(await done).toMatchObject([{ type: 'stored' }])
  expect(ranges()).toHaveLength(8)
})

test('a site that ignores ranges is asked once, and its answer is not read', async () => {
  let wasCut = false
  const endless: Step = (request, response) => {
    request.socket.on('close', () => {
      wasCut = true
    })
    response.writeHead(200, { 'Content-Length': 500 }).write('x')
  }
  const { done, server } = await compared(jpegBytes(500), endless)
  expect(await done).toMatchObject([{ type: 'ambiguous' }])
  expect(server.requests).toHaveLength(1)
  await expect.poll(() => wasCut).toBe(true)
})

test.each<[string, Step]>([
  ['a 404', (_, response) => response.writeHead(404).end()],
  [
    'another part',
    (_, response) => response.writeHead(206, { 'Content-Range': 'bytes 0-499/500' }).end(jpegBytes(500)),
  ],
  ['a longer file', serving(jpegBytes(501))],
  ['a busy site', (_, response) => response.writeHead(429).end()],
])('%s proves nothing', async (_, step) => {
  const { done, server } = await compared(jpegBytes(500), step)
  expect(await done).toMatchObject([{ type: 'ambiguous', candidates: [{ slug: 'a' }, { slug: 'b' }] }])
  expect(server.requests).toHaveLength(2)
})

test('a broken connection is tried again', async () => {
  let asked = 0
  const { done } = await compared(jpegBytes(500), (request, response) => {
    asked += 1
    return asked < 3 ? request.socket.resetAndDestroy() : serving(jpegBytes(500))(request, response)
  })
  expect(await done).toMatchObject([{ type: 'stored' }])
})

test.each<[string, Buffer, Partial<Upload>]>([
  ['a file of one byte', Buffer.from([0xff]), {}],
  ['an upload of another size', jpegBytes(500), { size: 501 }],
  ['an upload of another type', jpegBytes(500), { mime_type: 'image/webp' }],
  ['an upload without an address', jpegBytes(500), { direct_url: 'file:///etc/passwd' }],
])('%s is not looked at, and stays open', async (_, file, more) => {
  const { done, server } = await compared(file, serving(file), { more })
  expect(await done).toMatchObject([{ type: 'ambiguous' }])
  expect(server.requests).toEqual([])
})

test('a transfer that stands still ends with the abort', async () => {
  const abort = new AbortController()
  const { done } = await compared(
    jpegBytes(500),
    (_, response) => {
      response.writeHead(206, { 'Content-Range': 'bytes 1-499/500' }).write('x')
      setTimeout(() => abort.abort(), 20)
    },
    { signal: abort.signal },
  )
  await expect(done).rejects.toThrow('aborted')
})
