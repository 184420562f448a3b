import type { BigIntStats } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { isAnyArrayBuffer } from 'node:util/types'
import { kindOf } from '../../checks/coded-error.ts'
import { checkOptions, type OptionChecks, wholeNumberFrom } from '../../checks/options.ts'
import { aText, kindBy } from '../../checks/values.ts'
import { steadyMs, systemClock } from '../../clock.ts'
import { sniffLengthBytes } from '../../protocol/media-types.ts'
import { closeFile, openWithoutWaiting, readInto, statOfOpen } from '../../system/files.ts'
import { abortable, isAbort } from '../../system/signals.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { SourceError, type SourceProblem } from '../errors.ts'

/** A source that can be read and has not been checked. */
export interface OpenSource {
  /** For messages and as the file name; undefined for bytes without a name. */
  readonly name: string | undefined
  /** In bytes; undefined for a stream of unknown size. */
  readonly size: number | undefined
  /** The first bytes, up to `sniffLengthBytes`. */
  readonly head: Uint8Array
  /** Whether it can be read more than once, and from where. */
  readonly again: 'at hand' | 'from its site' | 'never'
  /**
   * All bytes from the start; opens nothing before the first chunk is read.
   * @throws SourceError at once for a stream that has been read, during the iteration if the file has changed
   */
  read(): AsyncIterable<Uint8Array>
  /** Closes a stream that is not read, or not to its end. */
  close(): void
}

/** A file name that is no path, and has no control characters; empty if nothing is left. */
export function plainName(name: string): string {
  const base = name.replace(/^.*[/\\]/s, '')
  const plain = base.replace(/\p{Cc}/gu, '_')
  return /^\.+$/.test(plain) ? '' : plain
}

/** Opens a file for upload. Every `read` opens it again and checks that it is unchanged, so that no mixture is ever sent. */
export async function openFileSource(path: string): Promise<OpenSource> {
  let file: number | undefined
  try {
    file = await openWithoutWaiting(path)
    const stats = await statOfOpen(file, { bigint: true })
    if (stats.isDirectory()) throw new SourceError('directory', `${path} is a folder, not a file`)
    if (!stats.isFile()) {
      throw new SourceError('unreadable', `${path} is not a regular file`, {
        hint: 'Pipe it in or copy it to a file first',
      })
    }
    const size = Number(stats.size)
    const head = Buffer.alloc(Math.min(sniffLengthBytes, size))
    const { bytesRead } = await readInto(file, head, 0, head.length, 0)
    const read = () => readFile(path, stats)
    return { name: basename(path), size, head: head.subarray(0, bytesRead), again: 'at hand', read, close() {} }
  } catch (error) {
    throw toSourceError(path, error)
  } finally {
    if (file !== undefined) await closeFile(file)
  }
}

/** Of fresh memory, larger chunks are no faster; of a slow connection, progress shows when a chunk has left. */
const CHUNK_BYTES = 262_144
/** Of memory that is used again, while a chunk takes at most {@link SLOW_MS}: larger ones are no faster. */
const FAST_BYTES = 2_097_152
const SLOW_MS = 100

/** Chunks that are not needed any more. */
const released = new WeakSet<Uint8Array>()

/**
 * Says that nothing needs a chunk any more, so that a file is read on into its memory: fresh memory takes twice the time and
 * twice as much of it. Only who has written the chunk to a connection, which then drained, can say so.
 */
export function release(chunk: Uint8Array): void {
  released.add(chunk)
}

async function* readFile(path: string, expected: BigIntStats): AsyncGenerator<Uint8Array> {
  let file: number | undefined
  try {
    file = await openWithoutWaiting(path)
    await assertUnchanged(path, file, expected)
    const size = Number(expected.size)
    let memory = Buffer.allocUnsafe(Math.min(FAST_BYTES, size))
    let [isFree, isFast] = [true, false]
    for (let at = 0; at < size; ) {
      const askedAt = steadyMs(systemClock)
      const length = Math.min(isFast ? FAST_BYTES : CHUNK_BYTES, size - at)
      if (!isFree || memory.length < length) memory = Buffer.allocUnsafe(length)
      const { bytesRead } = await readInto(file, memory, 0, length, at)
      if (bytesRead === 0) throw changed(path)
      at += bytesRead
      // Checked before the last bytes leave: the service never stores a body without them.
      if (at === size) await assertUnchanged(path, file, expected)
      const chunk = memory.subarray(0, bytesRead)
      yield chunk
      isFree = released.has(chunk)
      isFast = isFree && steadyMs(systemClock) - askedAt <= SLOW_MS
    }
  } catch (error) {
    throw toSourceError(path, error)
  } finally {
    if (file !== undefined) await closeFile(file)
  }
}

async function assertUnchanged(path: string, file: number, expected: BigIntStats): Promise<void> {
  const { size, mtimeNs, ino } = await statOfOpen(file, { bigint: true })
  if (size !== expected.size || mtimeNs !== expected.mtimeNs || ino !== expected.ino) throw changed(path)
}

function changed(path: string): SourceError {
  return new SourceError('changed', `${path} was changed while it was being uploaded, so nothing was stored`, {
    hint: 'Upload it again once it is complete',
  })
}

const problems: Readonly<Record<string, readonly [SourceProblem, string]>> = {
  ENOENT: ['missing', 'does not exist'],
  ENOTDIR: ['missing', 'does not exist: a part of the path is not a folder'],
  EISDIR: ['directory', 'is a folder, not a file'],
}

/** The error of a file in plain words. */
export function toSourceError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error) || error instanceof SourceError) return error
  const [problem, words] = problems[String(error.code)] ?? ['unreadable', `cannot be read: ${reasonOf(error)}`]
  return new SourceError(problem, `${path} ${words}`, { cause: error })
}

/** Anything that gives bytes piece by piece: a stream of Node or of the web, or a generator. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** By its shape: an environment for tests may have a class of its own. */
export function isStream(value: object): value is ByteStream {
  return Symbol.asyncIterator in value || isWebStream(value)
}

function isWebStream(value: object): value is ReadableStream<unknown> {
  return typeof Reflect.get(value, 'getReader') === 'function'
}

/** Streams and generators that an upload has begun to read; two readers would share out their bytes. */
const taken = new WeakSet<object>()

/**
 * Reserves a stream for one reader.
 * @param isBare whether all of it is meant
 * @throws SourceError if it has one, or some of its bytes are gone
 */
function takeStream(stream: ByteStream, label: string, isBare: boolean): void {
  const { destroyed, readableEnded } = stream as Partial<Readable>
  const isOver = destroyed === true || readableEnded === true || (isWebStream(stream) && stream.locked)
  const isBegun = isBare && Boolean(Readable.isDisturbed?.(stream as unknown as Readable))
  if (taken.has(stream) || isOver || isBegun) {
    const message = `${label} is closed or locked, or some of its bytes have been read`
    throw new SourceError('spent', message, { hint: 'Open it again for each upload' })
  }
  // Other iterables may begin again with each reader.
  if ('pipe' in stream || 'next' in stream || isWebStream(stream)) taken.add(stream)
}

/**
 * The stream in chunks of bytes.
 * @throws SourceError for a chunk of something else, and with the cause where the stream fails; what aborts it stays its
 * caller's own abort
 */
async function* chunksOf(stream: ByteStream, label: string): AsyncGenerator<Uint8Array> {
  const chunks = isWebStream(stream) ? readWebStream(stream) : (stream as AsyncIterable<unknown>)
  try {
    for await (const chunk of chunks) {
      const bytes = chunk instanceof Uint8Array ? chunk : bytesOf(chunk)
      if (bytes === undefined) {
        throw new SourceError('unreadable', `${label} gave ${kindOf(chunk)} instead of bytes`, {
          hint: 'Give a stream of Uint8Array: without an encoding, or through a TextEncoderStream',
        })
      }
      yield bytes
    }
  } catch (error) {
    const told = isAbort(error) ? error : toSourceError(label, error)
    if (told instanceof SourceError || isAbort(told)) throw told
    // It may fail without saying why.
    const why = reasonOf(error ?? 'it failed without a reason')
    throw new SourceError('unreadable', `${label} cannot be read: ${why}`, { cause: error })
  }
}

/** By a reader, because a stream of another realm may not be iterable. To leave it does not wait for a silent stream. */
export function readWebStream<Chunk>(stream: ReadableStream<Chunk>): AsyncIterable<Chunk> {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        next: async () => (await reader.read()) as IteratorResult<Chunk>,
        async return() {
          reader.cancel().catch(() => {})
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The bytes of a buffer or a view, of any realm; undefined for anything else. Shares the memory. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return isAnyArrayBuffer(value) ? new Uint8Array(value) : undefined
}

/** A stream to upload; it can be read, and so sent, only once. */
export interface StreamSource {
  readonly stream: ByteStream
  /** In bytes. Without it the request has no Content-Length. */
  readonly size?: number
  /** Default: `upload.<extension of the type>`. */
  readonly name?: string
}

const streamChecks: OptionChecks<StreamSource> = {
  stream: kindBy('a stream, such as process.stdin', (value) => isStream(Object(value))),
  size: wholeNumberFrom(0, 'a whole number of bytes'),
  name: aText,
}

/**
 * Opens a stream for upload and reads its first bytes, which tell its type.
 *
 * @throws TypeError for an option that is wrong; SourceError for a stream that is locked or over, or fails; `signal.reason`
 * when aborted, even if it is silent
 */
export async function openStreamSource(
  given: ByteStream | StreamSource,
  signal: AbortSignal | undefined,
): Promise<OpenSource> {
  const isBare = isStream(given)
  if (!isBare) checkOptions('client.upload’s source', given, streamChecks, { required: ['stream'] })
  const source: StreamSource = isBare ? { stream: given } : given
  const { stream, size, name = nameOfStream(stream) } = source
  const label = name || 'The stream'
  takeStream(stream, label, isBare)
  const chunks = abortable(chunksOf(stream, label), signal)
  const first: Uint8Array[] = []
  let length = 0
  while (length < sniffLengthBytes) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    length += value.length
  }
  let spent = false
  async function* readOnce() {
    spent = true
    yield* first
    yield* chunks
  }
  return {
    name: name || undefined,
    size,
    head: Buffer.concat(first).subarray(0, sniffLengthBytes),
    again: 'never',
    read() {
      if (!spent) return readOnce()
      throw new SourceError('spent', `${name || 'The source'} is a stream and can only be sent once`, {
        hint: 'Give a path, a Blob or a Buffer to have it sent again after a refusal',
      })
    },
    close: () => void chunks.return(undefined).catch(() => {}),
  }
}

/** That of its file, as `fs.ReadStream` and those like it tell it. */
function nameOfStream(stream: object): string | undefined {
  return 'path' in stream && typeof stream.path === 'string' ? basename(stream.path) : undefined
}

/** In UTF-16 units; systems allow 255 bytes. Of a longer name the end is taken, which has the extension. */
const LONGEST_NAME = 80

/** The name in a URL: the last part of its path, decoded, without folders or control characters; empty if there is none. */
export function nameInUrl(url: string): string {
  const name = plainName(decoded(new URL(url).pathname.split('/').at(-1) ?? ''))
  // Not a half of a character.
  return name.slice(-LONGEST_NAME).replace(/^[\udc00-\udfff]/, '')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
