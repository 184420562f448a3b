import { truncateSync, utimesSync } from 'node:fs'
import { appendFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientEvent, Progress, UploadSource } from '../../src/index.ts'
import type { Ledger } from '../../src/pacing/ledger.ts'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, breakOff } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { transports } from './every-transport.ts'

const stored = answer(201, { upload: uploadObject })
const refusedForNow = answer(429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '3' })

async function temporaryFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(temporaryFolder(), name)
  await writeFile(path, bytes)
  return path
}

const small = jpegBytes(5_000)
const linked = async () => {
  const path = await temporaryFile('real.jpg', small)
  await symlink(path, `${path}.link.jpg`)
  return `${path}.link.jpg`
}
async function* inParts() {
  yield small.subarray(0, 3)
  yield small.subarray(3)
}

test.each<[string, string, boolean, () => UploadSource | Promise<UploadSource>]>([
  ['a file', 'ü#1.jpg', true, () => temporaryFile('ü#1.jpg', small)],
  ['the file that a symbolic link names', 'real.jpg.link.jpg', true, linked],
  ['a stream of unknown size', 's.jpg', false, () => ({ stream: inParts(), name: 's.jpg' })],
  ['a file whose name is no plain name', 'a__b.php.jpg', true, () => new File([small], '../dir/a\r\nb.php')],
])('%s is uploaded whole, as %s with its type and, if known, its length', async (_, name, hasLength, source) => {
  const { client, server } = await scriptedClient([stored])
  await expect(client.upload(await source())).resolves.toEqual(uploadObject)
  const [{ body, headers } = expect.fail('nothing was sent')] = server.requests
  expect(body.toString()).toContain(`name="file"; filename="${name}"\r\nContent-Type: image/jpeg\r\n`)
  expect([body.includes(small), headers['content-length']]).toEqual([true, hasLength ? String(body.length) : undefined])
  expect(headers).toMatchObject({ 'x-api-key': 'secret-key', accept: 'application/json' })
})

const large = 8 * 1_048_576

test.each([
  ['grows', 'changed', (path: string) => appendFile(path, 'more')],
  ['shrinks', 'changed', (path: string) => truncate(path, large / 2)],
  ['is rewritten', 'changed', (path: string) => utimes(path, 1, 1)],
  ['is replaced', 'changed', (path: string) => rm(path).then(() => writeFile(path, jpegBytes(large)))],
  ['vanishes', 'missing', (path: string) => rm(path)],
])('a file is never stored when it %s between two attempts: it is %s', async (_, code, change) => {
  const path = await temporaryFile('changing.jpg', jpegBytes(large))
  const { client, server } = await scriptedClient([
    async (request, response) => {
      await new Promise((resolve) => request.once('end', resolve))
      await change(path)
      return refusedForNow(request, response)
    },
    stored,
  ])
  await expect(client.upload(path)).rejects.toMatchObject({ code: `source-${code}` })
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['is rewritten', (path: string) => utimesSync(path, 1, 1)],
  ['is cut short', (path: string) => truncateSync(path, large / 4)],
])('a file is never stored when it %s while it is sent', async (_, change) => {
  const path = await temporaryFile('changing.jpg', jpegBytes(large))
  const { client, server } = await scriptedClient([stored])
  const onProgress = ({ sent }: Progress) => {
    if (sent > large / 2) change(path)
  }
  await expect(client.upload(path, { onProgress })).rejects.toMatchObject({ code: 'source-changed' })
  expect(server.requests).toHaveLength(0)
})

test('an upload is sent again after a 429, its file is opened again, and its listeners hear of that upload only', async () => {
  const { client, server, clock, events } = await scriptedClient([refusedForNow, stored])
  const own: string[] = []
  const states: string[] = []
  const onEvent = ({ type }: ClientEvent) => own.push(type)
  await client.upload(mediaPath('photo.jpg'), { onEvent, onState: (state) => states.push(state) })
  const sleeps = [...clock.sleeps]
  await client.upload(mediaPath('photo.jpg'))
  const lengths = server.requests.map(({ body }) => body.length)
  expect([lengths.length, new Set(lengths).size, sleeps]).toEqual([3, 1, [3_250]])
  expect(own).toEqual(['request', 'response', 'wait', 'request', 'response'])
  expect(events.length).toBeGreaterThan(own.length)
  expect(states).toEqual(['waiting', 'sending', 'sent', 'waiting', 'sending', 'sent'])
})

test('a stored upload is answered although the caller’s ledger fails to count it', async () => {
  const ledger: Ledger = {
    reserve: async () => ({ type: 'granted', id: '1' }),
    settle: () => Promise.reject(new Error('the ledger is gone')),
    changed: async () => {},
    windows: () => ({}),
  }
  const { client, server } = await scriptedClient([stored], { pacing: { ledger } })
  await expect(client.upload(mediaPath('photo.jpg'))).resolves.toEqual(uploadObject)
  expect(server.requests).toHaveLength(1)
})

test('an upload that breaks in the middle every time fails as a connection error after its retries', async () => {
  const path = await temporaryFile('large.jpg', jpegBytes(20_000_000))
  const { client, clock } = await scriptedClient([breakOff(100_000)], { retry: { retries: 2 }, pacing: false })
  await expect(client.upload(path)).rejects.toMatchObject({
    code: 'connection-failed',
    hint: 'Nothing was stored; the service may refuse a file of this size',
  })
  expect(clock.sleeps).toHaveLength(2)
})

test.each([
  ['more', 3, /^s\.jpg gave more, not the 3 bytes announced$/],
  ['less', 200, /^s\.jpg gave only 100, not the 200 bytes announced$/],
])('a stream that gives %s than it announced is never stored', async (_, size, message) => {
  for (const [, create] of transports) {
    const { client, server } = await scriptedClient([stored], { transport: create() })
    const sending = client.upload({ stream: new Blob([jpegBytes(100)]).stream(), size, name: 's.jpg' })
    await expect(sending).rejects.toMatchObject({ code: 'source-changed', message: expect.stringMatching(message) })
    expect(server.requests).toHaveLength(0)
  }
})

test.each([
  ['bytes', jpegBytes(11)],
  ['a stream of unknown size', { stream: new Blob([jpegBytes(100_000)]).stream(), name: 's.jpg' }],
])('an upload of %s ends at the caller’s own limit', async (_, source) => {
  const { client, server } = await scriptedClient([stored])
  const sending = client.upload(source, { maxFileSizeBytes: 10 })
  await expect(sending).rejects.toMatchObject({ code: 'source-too-large' })
  expect(server.requests).toHaveLength(0)
})

test('an abort ends the upload of a silent stream, before and while it is sent', async () => {
  const silent = new Promise<never>(() => {})
  for (const first of [[], [jpegBytes(10_000)]]) {
    const { client } = await scriptedClient([stored])
    const controller = new AbortController()
    const stream = async function* () {
      yield* first
      setImmediate(() => controller.abort())
      await silent
    }
    const sending = client.upload({ stream: stream(), name: 's.jpg' }, { signal: controller.signal })
    await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
  }
})

test('an upload of bytes in memory reports progress in steps, and is repeated when it breaks in the middle', async () => {
  const { client, server } = await scriptedClient([breakOff(100_000), stored])
  const seen: number[] = []
  await client.upload(jpegBytes(20_000_000), { onProgress: ({ sent }) => seen.push(sent) })
  expect([seen.at(0), seen.length > 50, seen.at(-1)]).toEqual([0, true, 20_000_000])
  expect(server.requests).toHaveLength(1)
})

test.each([
  ['sending', 'request'],
  ['waiting', 'wait'],
])('an upload that is aborted while %s ends with the caller’s reason', async (_, event) => {
  const controller = new AbortController()
  const onEvent = ({ type }: ClientEvent) => type === event && controller.abort()
  const { client } = await scriptedClient([refusedForNow], { onEvent })
  const sending = client.upload(mediaPath('photo.jpg'), { signal: controller.signal })
  await expect(sending).rejects.toMatchObject({ name: 'AbortError' })
})
