import { Readable } from 'node:stream'
import { isAnyArrayBuffer } from 'node:util/types'
import { kindOf } from '../../checks/quoted.ts'
import { SourceError } from '../errors.ts'

/** Anything that gives bytes piece by piece: a stream of Node or of the web, or a generator. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** By its shape: an environment for tests may have a class of its own. */
export function isStream(value: object): value is ByteStream {
  return Symbol.asyncIterator in value || isWebStream(value)
}

function isWebStream(value: object): value is ReadableStream<unknown> {
  return typeof Reflect.get(value, 'getReader') === 'function'
}

/** Whether some of its bytes are gone. */
export function isBegun(stream: ByteStream): boolean {
  return Boolean(Readable.isDisturbed?.(stream as unknown as Readable))
}

/** Streams and generators that an upload has begun to read; two readers would share out their bytes. */
const taken = new WeakSet<object>()

/** Reserves a stream for one reader. @throws SourceError if it has one, or is over */
export function takeStream(stream: ByteStream, label: string): void {
  refuseSpent(stream, label)
  if (taken.has(stream)) {
    throw new SourceError('spent', `${label} is or was part of another upload`, {
      hint: 'Open it again for each upload',
    })
  }
  // Other iterables may begin again with each reader.
  if ('pipe' in stream || 'next' in stream) taken.add(stream)
}

/** @throws SourceError for a stream that another reader has, or that has ended */
export function refuseSpent(stream: ByteStream, label: string): void {
  if (isWebStream(stream) && stream.locked) {
    throw new SourceError('spent', `${label} is locked: something else is reading it`, {
      hint: 'Release its reader first, or upload one of the two streams of its tee()',
    })
  }
  if (Reflect.get(stream, 'destroyed') === true || Reflect.get(stream, 'readableEnded') === true) {
    throw new SourceError('spent', `${label} has been read to its end or closed`, { hint: 'Open it again' })
  }
}

/** A stream may fail without saying why. What aborts it stays its caller's own abort. */
async function* withReasons(chunks: AsyncIterable<unknown>, label: string): AsyncGenerator<unknown> {
  try {
    yield* chunks
  } catch (error) {
    if (error instanceof SourceError || (error instanceof Error && error.name === 'AbortError')) throw error
    if (error === undefined || error === null) throw new SourceError('unreadable', `${label} failed without a reason`)
    const words = error instanceof Error ? error.message : String(error)
    throw new SourceError('unreadable', `${label} cannot be read: ${words}`, { cause: error })
  }
}

/**
 * The stream in chunks of bytes.
 * @throws SourceError for a chunk of something else, and with the cause where the stream fails
 */
export async function* chunksOf(stream: ByteStream, label: string): AsyncGenerator<Uint8Array> {
  const chunks = isWebStream(stream) ? readWebStream(stream) : (stream as AsyncIterable<unknown>)
  for await (const chunk of withReasons(chunks, label)) {
    const bytes = chunk instanceof Uint8Array ? chunk : bytesOf(chunk)
    if (bytes === undefined) throw notBytes(label, chunk)
    yield bytes
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

function notBytes(label: string, chunk: unknown): SourceError {
  const hint =
    typeof chunk === 'string'
      ? 'Open it without an encoding, or encode its text: pipeThrough(new TextEncoderStream())'
      : 'Give a stream of Uint8Array'
  return new SourceError('unreadable', `${label} gave ${kindOf(chunk)} instead of bytes`, { hint })
}

/** The bytes of a buffer or a view, of any realm; undefined for anything else. Shares the memory. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return isAnyArrayBuffer(value) ? new Uint8Array(value) : undefined
}
