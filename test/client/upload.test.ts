import { truncateSync, utimesSync } from 'node:fs'
import { appendFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClientEvent, fetchTransport, nodeTransport, type Progress, undiciTransport } from '../../src/index.ts'
import type { Ledger } from '../../src/ledger.ts'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, breakOff, type Step } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const stored = answer(201, { upload: uploadObject })
const refusedForNow = answer(429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '3' })

async function temporaryFile(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(temporaryFolder(), name)
  await writeFile(path, bytes)
  return path
}

/** The parts of a multipart body with one file. */
function parseForm(body: Buffer) {
  const text = body.toString('latin1')
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const file = rest.join('\r\n\r\n').replace(/\r\n--[^\r\n]+--\r\n$/, '')
  return { head: Buffer.from(head, 'latin1').toString('utf8'), file: Buffer.from(file, 'latin1') }
}

describe('what can be uploaded', () => {
  const bytes = jpegBytes(5_000)
  async function* chunks() {
    yield bytes.subarray(0, 3)
    yield bytes.subarray(3)
  }

  test('a file is uploaded whole, with its name, type and exact Content-Length', async () => {
    const { client, server } = await scriptedClient([stored])
    await expect(client.upload(await temporaryFile('ü#1.jpg', bytes))).resolves.toEqual(uploadObject)
    const [request] = server.requests
    const { head, file } = parseForm(request?.body ?? Buffer.alloc(0))
    expect(head).toContain('name="file"; filename="ü#1.jpg"')
    expect(head).toContain('Content-Type: image/jpeg')
    expect(file.equals(bytes)).toBe(true)
    expect(request?.headers).toMatchObject({
      'content-length': String(request?.body.length),
      'x-api-key': 'secret-key',
      accept: 'application/json',
    })
  })

  test('a stream of unknown size is sent without a length', async () => {
    const { client, server } = await scriptedClient([stored])
    await client.upload({ stream: chunks(), name: 's.jpg' })
    expect(server.requests[0]?.headers['content-length']).toBeUndefined()
    expect(parseForm(server.requests[0]?.body ?? Buffer.alloc(0)).file.equals(bytes)).toBe(true)
  })

  test('a symbolic link is uploaded as the file it names', async () => {
    const path = await temporaryFile('real.jpg', bytes)
    await symlink(path, `${path}.link.jpg`)
    const { client, server } = await scriptedClient([stored])
    await client.upload(`${path}.link.jpg`)
    expect(server.requests).toHaveLength(1)
  })

  test('a name that is not a plain file name is made one', async () => {
    const { client, server } = await scriptedClient([stored])
    await client.upload(new File([bytes], '../dir/a\r\nb.php'))
    expect(parseForm(server.requests[0]?.body ?? Buffer.alloc(0)).head).toContain('filename="a__b.php.jpg"')
  })
})

describe('a file that does not stay as it was', () => {
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
})

describe('an upload that does not get through at once', () => {
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

  const refusedLate: Step = (request, response) => {
    request.once('data', () => response.writeHead(417).end())
  }

  test('an upload of a stream is never stored empty after a 417 in the middle of its body', async () => {
    const { client, server } = await scriptedClient([refusedLate, stored], { transport: nodeTransport() })
    const sending = client.upload({ stream: new Blob([jpegBytes(2_000_000)]).stream(), name: 's.jpg' })
    await expect(sending).rejects.toMatchObject({ code: 'source-spent' })
    expect(server.requests.filter(({ headers }) => headers['expect'] === undefined)).toEqual([])
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
    for (const transport of [undiciTransport(), nodeTransport(), fetchTransport(fetch)]) {
      const { client, server } = await scriptedClient([stored], { transport })
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

  test('an aborted upload ends with the caller’s reason, while sending and while waiting', async () => {
    const controller = new AbortController()
    const { client } = await scriptedClient([() => controller.abort()])
    await expect(client.upload(mediaPath('photo.jpg'), { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    const waiting = new AbortController()
    const second = await scriptedClient([refusedForNow], { onEvent: ({ type }) => type === 'wait' && waiting.abort() })
    await expect(second.client.upload(mediaPath('photo.jpg'), { signal: waiting.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})
