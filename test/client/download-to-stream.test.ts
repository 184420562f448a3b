import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { DownloadTarget } from '../../src/client/download/download-target.ts'
import { downloadToStream } from '../../src/client/download/download-target.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** Larger than what streams keep. */
const photo = jpegBytes(300_000)

async function uploaded() {
  const { client } = await inProcessClient({})
  const { slug } = await client.upload(photo)
  return { client, slug }
}

test('client.download writes a file to a stream of Node, which it ends, and to one of the web, which it closes', async () => {
  const { client, slug } = await uploaded()
  const path = join(temporaryFolder(), 'a.jpg')
  const stream = createWriteStream(path)
  expect((await client.download(slug, stream)).slug).toBe(slug)
  expect([stream.writableFinished, (await readFile(path)).equals(photo)]).toEqual([true, true])
  const chunks: Uint8Array[] = []
  const close = vi.fn()
  await client.download(slug, new WritableStream({ write: (chunk) => void chunks.push(chunk), close }))
  expect([Buffer.concat(chunks).equals(photo), close.mock.calls.length]).toEqual([true, 1])
})

test('client.download leaves standard output open', async () => {
  const { client, slug } = await uploaded()
  const stdout = new PassThrough({ highWaterMark: 1_000_000 })
  vi.spyOn(process, 'stdout', 'get').mockReturnValue(stdout as never)
  await client.download(slug, process.stdout)
  vi.restoreAllMocks()
  expect([stdout.writableEnded, stdout.readableLength]).toEqual([false, photo.length])
})

const full = new Error('no space left')

test.each([
  ['Node', () => new Writable({ write: (_chunk, _encoding, done) => done(full) })],
  ['the web', () => new WritableStream({ write: () => Promise.reject(full) })],
])('a stream of %s that fails ends the download with an error that names the slug', async (_, create) => {
  const { client, slug } = await uploaded()
  await expect(client.download(slug, create())).rejects.toMatchObject({
    name: 'DownloadError',
    code: 'stream-failed',
    message: `The stream for ${slug} failed, and the download with it: no space left`,
    cause: full,
  })
})

test('a stream whose upload does not exist is destroyed, in Node and in the web', async () => {
  const { client } = await uploaded()
  const stream = new PassThrough().on('error', () => {})
  await expect(client.download('missing', stream)).rejects.toMatchObject({ code: 'not-found' })
  const abort = vi.fn()
  await expect(client.download('missing', new WritableStream({ abort }))).rejects.toMatchObject({ code: 'not-found' })
  expect([stream.destroyed, abort.mock.calls.length]).toEqual([true, 1])
})

test('a download waits for a stream that takes nothing, and an abort ends that and destroys the stream', async () => {
  const taking = Promise.withResolvers<void>()
  const stream = new Writable({ write: () => taking.resolve() }).on('error', () => {})
  const stop = new AbortController()
  let bytes = 0
  const options = { name: 'The stream', signal: stop.signal, onProgress: (now: number) => (bytes = now) }
  const done = downloadToStream(stream, options, async (target) => {
    for (;;) await target.write(Buffer.alloc(500_000))
  })
  await taking.promise
  await turn()
  expect(bytes).toBeLessThan(2_000_000)
  stop.abort()
  await expect(done).rejects.toBe(stop.signal.reason)
  expect(stream.destroyed).toBe(true)
})

/** What work brings to a stream. */
async function brought(work: (target: DownloadTarget) => Promise<void>): Promise<string> {
  const stream = new PassThrough().on('error', () => {})
  const { signal } = new AbortController()
  await downloadToStream(stream, { name: 'Standard output', signal, onProgress() {} }, work)
  return await text(stream)
}

test.each(['"one"', '"two"', undefined])(
  'a download to a stream fails if the file starts again: validator %s',
  async (validator) => {
    const done = brought(async (target) => {
      await target.begin({ bytes: 0, validator: '"one"' })
      await target.write(Buffer.from('abc'))
      await target.begin({ bytes: 0, validator })
    })
    await expect(done).rejects.toMatchObject({
      code: 'size-mismatch',
      message: expect.stringMatching(/^Standard output: the download was/),
    })
  },
)
