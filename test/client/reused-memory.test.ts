import { appendFileSync, truncateSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { createUploadBody } from '../../src/client/calls/upload.ts'
import { prepareSource } from '../../src/client/sources/upload-source.ts'
import { nodeTransport, SourceError, type UploadOptions } from '../../src/index.ts'
import { jpegBytes } from '../helpers/media.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { between, createRandom, oneOf } from '../pacing/simulation/random.ts'

const wire = vi.hoisted(() => ({ socket: undefined as unknown }))
const disk = vi.hoisted(() => ({ fails: false }))
vi.mock('../../src/client/transports/open-connection.ts', async (original) => ({
  ...(await original<object>()),
  Connection: class {
    readonly ready = Promise.resolve(wire.socket)
    reset = () => (wire.socket as Duplex).destroy()
  },
}))
vi.mock('../../src/system/files.ts', async (original) => {
  const real = await original<typeof import('../../src/system/files.ts')>()
  const fail = () => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
  }
  return {
    ...real,
    readInto: async (...given: unknown[]) =>
      disk.fails ? fail() : await (real.readInto as (...all: unknown[]) => Promise<unknown>)(...given),
  }
})

/** Takes what it is written in pieces, each in a turn of its own: what changes before its turn arrives changed. */
class SlowSocket extends Duplex {
  readonly memories = new Set<ArrayBufferLike>()
  readonly lengths: number[] = []
  readonly #received: Buffer[] = []
  #pieces = 0
  #expected = Number.POSITIVE_INFINITY

  readonly #pieceBytes: () => number
  readonly #onPiece: (pieces: number) => void

  constructor(pieceBytes: () => number, onPiece: (pieces: number) => void = () => {}) {
    super()
    for (const name of ['setTimeout', 'setNoDelay', 'setKeepAlive']) Reflect.set(this, name, () => this)
    this.#pieceBytes = pieceBytes
    this.#onPiece = onPiece
  }

  get body(): Buffer {
    const all = Buffer.concat(this.#received)
    return all.subarray(all.indexOf('\r\n\r\n') + 4)
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: string, done: () => void, at = 0): void {
    if (chunk.length > 10_000) this.memories.add(chunk.buffer)
    if (at === 0) this.lengths.push(chunk.length)
    setImmediate(() => {
      if (this.destroyed) return
      const end = at + Math.max(Math.round(this.#pieceBytes()), 1)
      this.#received.push(Buffer.from(chunk.subarray(at, end)))
      this.#pieces += 1
      this.#onPiece(this.#pieces)
      if (end < chunk.length) return this._write(chunk, '', done, end)
      done()
      setImmediate(() => this.#answer(String(chunk)))
    })
  }

  #answer(text: string): void {
    const [, length] = /content-length: (\d+)/i.exec(text.slice(0, 1_000)) ?? []
    if (length !== undefined) this.#expected = Number(length)
    if (this.body.length === this.#expected) this.push(`HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n`)
  }
}

const content = jpegBytes(6_000_000)
for (let at = 100; at < content.length; at += 4) content.writeUInt32LE(Math.imul(at, 0x9e3779b1) >>> 0, at)

function fileOf(size: number): string {
  const path = join(temporaryFolder(), 'photo.jpg')
  writeFileSync(path, content.subarray(0, size))
  return path
}

async function upload(path: string, socket: SlowSocket, options: UploadOptions = {}) {
  wire.socket = socket
  const { signal = new AbortController().signal } = options
  const body = await createUploadBody(await prepareSource(path), options)
  const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: {}, body, signal }
  await nodeTransport()
    .send(request)
    .catch(() => {})
  return body.failure()
}

/** Whether the body has the file's bytes in their places, as far as it goes. */
function isPrefixOf(body: Buffer, size: number): boolean {
  const start = body.indexOf('\r\n\r\n') + 4
  const file = body.subarray(start, start + size)
  return file.equals(content.subarray(0, file.length))
}

const events = {
  none: () => {},
  grows: (path: string) => appendFileSync(path, 'more'),
  shrinks: (path: string) => truncateSync(path, 15_000),
  fails: () => {
    disk.fails = true
  },
  aborts: (_: string, controller: AbortController) => controller.abort(),
}
const stories = Object.keys(events).flatMap((name) =>
  Array.from({ length: 10 }, (_, seed) => [name as keyof typeof events, seed] as const),
)

test.each(stories)('no byte leaves in the place of another while memory is used again: %s %i', async (name, seed) => {
  const random = createRandom(seed)
  const size = oneOf(random, [20_000, 262_145, 2_359_297, Math.floor(between(random, [20_000, 5_000_000]))])
  const [path, controller] = [fileOf(size), new AbortController()]
  const when = Math.floor(between(random, [1, 30]))
  const [shortest, longest] = [oneOf(random, [-3_000, 1]), oneOf(random, [3_000, 50_000, 3_000_000])]
  const socket = new SlowSocket(
    () => between(random, [shortest, longest]),
    (pieces) => pieces === when && events[name](path, controller),
  )
  const failure = await upload(path, socket, { signal: controller.signal })
  disk.fails = false
  expect(isPrefixOf(socket.body, size)).toBe(true)
  const isClosed = socket.body.subarray(-4).equals(Buffer.from('--\r\n'))
  const isWhole = socket.body.includes(content.subarray(0, size))
  expect(isWhole || !isClosed).toBe(true)
  if (name === 'none') expect(isClosed).toBe(true)
  else if (name !== 'aborts' && !isClosed) {
    expect(failure).toBeInstanceOf(SourceError)
    expect(failure).toMatchObject({ message: expect.stringContaining(path) })
  }
  expect(socket.memories.size).toBeLessThanOrEqual(1)
})

test('a tool that intercepts requests gets chunks whose memory it may keep', async () => {
  const keeper = new SlowSocket(() => 5_000_000)
  const { request } = http
  const spy = vi
    .spyOn(http, 'request')
    .mockImplementation(((url: URL, options: http.RequestOptions) =>
      request(url, { ...options, createConnection: () => keeper })) as typeof request)
  await upload(fileOf(5_000_000), new SlowSocket(() => 1))
  spy.mockRestore()
  expect(isPrefixOf(keeper.body, 5_000_000)).toBe(true)
  expect(keeper.memories.size).toBe(Math.ceil(5_000_000 / 262_144))
})

test('a tool that records what is written gets chunks whose memory it may keep', async () => {
  const kept: Buffer[] = []
  const { request } = http
  const spy = vi.spyOn(http, 'request').mockImplementation(((url: URL, options: http.RequestOptions) => {
    const message = request(url, options)
    const write = message.write.bind(message) as (chunk: Buffer | string, done: () => void) => boolean
    message.write = ((chunk: Buffer | string, done: () => void) => {
      if (typeof chunk !== 'string') kept.push(chunk)
      return write(chunk, done)
    }) as typeof message.write
    return message
  }) as typeof request)
  await upload(fileOf(5_000_000), new SlowSocket(() => 1_000_000))
  spy.mockRestore()
  expect(Buffer.concat(kept).includes(content.subarray(0, 5_000_000))).toBe(true)
})
