import { execFileSync } from 'node:child_process'
import { truncateSync, utimesSync } from 'node:fs'
import { appendFile, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fetchTransport, nodeTransport, type Progress, type UploadSource, undiciTransport } from '../../src/index.ts'
import type { Ledger } from '../../src/ledger.ts'
import { jpegBytes, mediaPath, uploadObject } from '../helpers/media.ts'
import { scriptedClient } from '../helpers/scripted-client.ts'
import { answer, breakOff, type Step } from '../helpers/scripted-server.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const stored = answer(201, { upload: uploadObject })
const refusedForNow = answer(429, { error: 'Burst limit exceeded. Slow down.' }, { 'Retry-After': '3' })

async function temporaryFile(name: string, bytes: Uint8Array | string): Promise<string> {
  const folder = temporaryFolder()
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

async function pipe(): Promise<string> {
  const path = `${await temporaryFile('near', '')}.pipe`
  execFileSync('mkfifo', [path])
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

  test.each<readonly [string, () => Promise<UploadSource>, string]>([
    ['a path', () => temporaryFile('a photo.jpg', bytes), 'a photo.jpg'],
    ['a file URL', async () => pathToFileURL(await temporaryFile('ü#1.jpg', bytes)), 'ü#1.jpg'],
    ['a File', async () => new File([bytes], 'cat.jpeg'), 'cat.jpeg'],
    ['a Blob', async () => new Blob([bytes]), 'upload.jpg'],
    ['a Buffer', async () => bytes, 'upload.jpg'],
    ['a stream of known size', async () => ({ stream: chunks(), size: bytes.length, name: 's.jpg' }), 's.jpg'],
    ['a web stream', async () => ({ stream: new Blob([bytes]).stream(), size: bytes.length, name: 'w.jpg' }), 'w.jpg'],
  ])('%s is uploaded whole, with its name, type and exact Content-Length', async (_, source, name) => {
    const { client, server } = await scriptedClient([stored])
    await expect(client.upload(await source())).resolves.toEqual(uploadObject)
    const [request] = server.requests
    const { head, file } = parseForm(request?.body ?? Buffer.alloc(0))
    expect(head).toContain(`name="file"; filename="${name}"`)
    expect(head).toContain('Content-Type: image/jpeg')
    expect(file.equals(bytes)).toBe(true)
    expect(request?.headers['content-length']).toBe(String(request?.body.length))
    expect(request?.headers).toMatchObject({ 'x-api-key': 'secret-key', accept: 'application/json' })
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

  test('progress rises from 0 to the size of the file', async () => {
    const { client } = await scriptedClient([stored])
    const seen: Progress[] = []
    await client.upload(mediaPath('photo.jpg'), { onProgress: (progress) => seen.push(progress) })
    const { length } = await readFile(mediaPath('photo.jpg'))
    expect(seen.at(0)).toEqual({ sent: 0, total: length })
    expect(seen.at(-1)).toEqual({ sent: length, total: length })
  })
})

describe('what is refused before a byte is sent', () => {
  test.each<readonly [string, () => Promise<UploadSource>, string, RegExp]>([
    ['a missing file', async () => '/nowhere/at all.jpg', 'source-missing', /^\/nowhere\/at all\.jpg does not exist$/],
    [
      'a path through a file',
      async () => join(await temporaryFile('f.jpg', 'x'), 'g'),
      'source-missing',
      /not a folder/,
    ],
    ['a folder', async () => tmpdir(), 'source-directory', /is a folder/],
    ['a pipe without a writer', pipe, 'source-unreadable', /is not a regular file/],
    ['a device', async () => '/dev/null', 'source-unreadable', /\/dev\/null is not a regular file/],
    ['an empty file', () => temporaryFile('empty.jpg', ''), 'source-empty', /empty\.jpg is empty/],
    ['an empty Blob', async () => new Blob([]), 'source-empty', /The data is empty/],
    [
      'a text file',
      () => temporaryFile('a.jpg', 'hello'),
      'source-unsupported-type',
      /a\.jpg is text\/plain; accepted are JPEG, PNG, GIF, WebP, MP4, WebM, QuickTime \(MOV\)/,
    ],
    [
      'bytes of no known type',
      async () => Buffer.alloc(100),
      'source-unsupported-type',
      /The data is of no known type/,
    ],
  ])('%s', async (_, source, code, message) => {
    const { client, server } = await scriptedClient([stored])
    const refused = client.upload(await source())
    await expect(refused).rejects.toMatchObject({ name: 'SourceError', code })
    await expect(refused).rejects.toThrow(message)
    expect(server.connections()).toBe(0)
  })

  test('a missing file whose name may not be UTF-8 is refused with a hint about that', async () => {
    const { client } = await scriptedClient([])
    await expect(client.upload('/nowhere/\uFFFD.jpg')).rejects.toMatchObject({
      code: 'source-missing',
      hint: expect.stringContaining('not UTF-8'),
    })
  })

  test('a file one byte over the limit is refused with both sizes', async () => {
    const path = await temporaryFile('big.jpg', jpegBytes(16))
    await truncate(path, 209_715_201)
    const { client, server } = await scriptedClient([stored])
    await expect(client.upload(path)).rejects.toMatchObject({
      code: 'source-too-large',
      message: 'big.jpg has 200 MB (209,715,201 bytes), more than the limit of 200 MB (209,715,200 bytes)',
    })
    expect(server.connections()).toBe(0)
  })

  test('a file over the caller’s own limit is refused', async () => {
    const { client } = await scriptedClient([stored])
    await expect(client.upload(jpegBytes(11), { maxFileSizeBytes: 10 })).rejects.toMatchObject({
      code: 'source-too-large',
    })
  })
})

describe('a file that does not stay as it was', () => {
  const large = 8 * 1_048_576

  test.each([
    ['grows', (path: string) => appendFile(path, 'more')],
    ['shrinks', (path: string) => truncate(path, large / 2)],
    ['is rewritten', (path: string) => utimes(path, 1, 1)],
    [
      'is replaced',
      async (path: string) => {
        await rm(path)
        await writeFile(path, jpegBytes(large))
      },
    ],
  ])('a file is never stored when it %s between two attempts', async (_, change) => {
    const path = await temporaryFile('changing.jpg', jpegBytes(large))
    const { client, server } = await scriptedClient([
      async (request, response) => {
        await new Promise((resolve) => request.once('end', resolve))
        await change(path)
        response.writeHead(429, { 'Retry-After': '1' }).end('{"error":"Rate limit exceeded (per minute)."}')
      },
      stored,
    ])
    await expect(client.upload(path)).rejects.toMatchObject({ code: 'source-changed' })
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

  test('a file is reported missing when it vanishes between two attempts', async () => {
    const path = await temporaryFile('vanishing.jpg', jpegBytes(100))
    const { client } = await scriptedClient([
      async (request, response) => {
        await new Promise((resolve) => request.once('end', resolve))
        await rm(path)
        response.writeHead(429, { 'Retry-After': '1' }).end('{"error":"Rate limit exceeded (per minute)."}')
      },
      stored,
    ])
    await expect(client.upload(path)).rejects.toMatchObject({ code: 'source-missing' })
  })
})

describe('an upload that does not get through at once', () => {
  test('an upload is sent again after a 429, and the file is opened again', async () => {
    const { client, server, clock } = await scriptedClient([refusedForNow, stored])
    await client.upload(mediaPath('photo.jpg'))
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]?.body.length).toBe(server.requests[0]?.body.length)
    expect(clock.sleeps).toEqual([3_250])
  })

  test('an upload’s onEvent hears that upload only, the client’s hears all', async () => {
    const { client, events } = await scriptedClient([refusedForNow, stored], { pacing: false })
    const own: string[] = []
    await client.upload(mediaPath('photo.jpg'), { onEvent: ({ type }) => own.push(type) })
    await client.upload(mediaPath('photo.jpg'))
    expect(own).toEqual(['request', 'response', 'wait', 'request', 'response'])
    expect(events.map(({ type }) => type)).toEqual([...own, 'request', 'response'])
  })

  test('an upload’s onState hears that it waits again after a refusal', async () => {
    const { client } = await scriptedClient([refusedForNow, stored])
    const states: string[] = []
    await client.upload(mediaPath('photo.jpg'), { onState: (state) => states.push(state) })
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

  test('an upload is sent again after a 503 in the service’s own words', async () => {
    const disabled = answer(503, { error: 'API temporarily disabled.' }, { 'Retry-After': '60' })
    const { client, server, clock } = await scriptedClient([disabled, stored])
    await client.upload(mediaPath('photo.jpg'))
    expect(server.requests).toHaveLength(2)
    expect(total(clock.sleeps)).toBe(60_250)
  })

  test('an upload is sent again when the connection broke in the middle of the file', async () => {
    const path = await temporaryFile('large.jpg', jpegBytes(20_000_000))
    const { client, server } = await scriptedClient([breakOff(100_000), stored])
    await client.upload(path)
    expect(server.requests).toHaveLength(1)
  })

  const refusedLate: Step = (request, response) => {
    request.once('data', () => response.writeHead(417).end())
  }

  test('an upload of a file is sent again whole after a 417 in the middle of its body', async () => {
    const bytes = jpegBytes(2_000_000)
    const path = await temporaryFile('large.jpg', bytes)
    const { client, server } = await scriptedClient([refusedLate, stored], { transport: nodeTransport() })
    await client.upload(path)
    expect(server.requests.at(-1)?.headers['expect']).toBeUndefined()
    expect(server.requests.at(-1)?.body.includes(bytes)).toBe(true)
  })

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

  test.each<readonly [string, Step]>([
    ['the connection breaks after the whole file', breakOff()],
    ['a 500', answer(500, { message: 'Server Error' })],
    ['a 502 page of a proxy', answer(502, '<html>Bad gateway</html>')],
    ['a 503 page of a proxy', answer(503, '<html>Unavailable</html>')],
    ['a 504', answer(504, '<html>Timeout</html>')],
    ['a 524 of a proxy', answer(524, '<html>A timeout occurred</html>')],
    ['a 201 that cannot be read', answer(201, '{"upload":')],
    ['a 200 that is not what the spec promises', answer(200, { upload: { slug: 'x' } })],
  ])('an upload has an unknown outcome after %s if the list cannot be read, and is not sent twice', async (_, step) => {
    const { client, server } = await scriptedClient([step, answer(404, '<html>Not found</html>')])
    await expect(client.upload(mediaPath('photo.jpg'))).rejects.toMatchObject({
      name: 'UnknownOutcomeError',
      code: 'outcome-unknown',
      request: { method: 'POST', path: '/api/upload' },
    })
    expect(server.requests.at(-1)).toMatchObject({ method: 'GET', url: '/api/uploads' })
    expect(server.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(1)
  })

  test('an upload of a stream that has been read is not repeated', async () => {
    async function* chunks() {
      yield jpegBytes(100)
    }
    const { client } = await scriptedClient([refusedForNow, stored])
    await expect(client.upload({ stream: chunks(), name: 's.jpg' })).rejects.toMatchObject({ code: 'source-spent' })
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

  test('an upload of a stream of unknown size ends at the limit', async () => {
    const { client, server } = await scriptedClient([stored])
    const stream = new Blob([jpegBytes(100_000)]).stream()
    const sending = client.upload({ stream, name: 's.jpg' }, { maxFileSizeBytes: 50_000 })
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
    const seen = new Set<number>()
    await client.upload(jpegBytes(20_000_000), { onProgress: ({ sent }) => seen.add(sent) })
    expect(seen.size).toBeGreaterThan(50)
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

  test.each([
    [401, { error: 'Invalid API key.' }, 'AuthenticationError'],
    [403, { error: 'Access suspended by administrator.' }, 'AccessDeniedError'],
    [413, { message: 'The POST data is too large.' }, 'ValidationError'],
    [
      422,
      { message: 'The file field is required.', errors: { file: ['The file field is required.'] } },
      'ValidationError',
    ],
  ])('an upload refused with %i is not repeated', async (status, body, name) => {
    const { client, server } = await scriptedClient([answer(status, body), stored])
    await expect(client.upload(mediaPath('photo.jpg'))).rejects.toMatchObject({ name, status })
    expect(server.requests).toHaveLength(1)
  })
})

function total(durations: readonly number[]): number {
  return durations.reduce((sum, duration) => sum + duration, 0)
}
