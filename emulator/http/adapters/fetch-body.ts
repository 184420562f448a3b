import { ReadableStream } from 'node:stream/web'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { blobChunks, isBlob } from '../../../src/system/blob-bytes.ts'
import { encodeForm } from './form-encoding.ts'

/** The body of a call of `fetch`. */
export interface FetchBody {
  /** For a call whose headers have no type. */
  readonly contentType?: string
  /** In bytes; absent for a stream. */
  readonly length?: number
  /** Can be read once. A signal that aborts closes a stream, even while it sends nothing. */
  chunks(closing: readonly AbortSignal[]): AsyncIterable<Uint8Array>
}

/** A body with something other than bytes; the message is that of the platform's fetch. */
export class NotBytesError extends TypeError {}

/** Whether a body can be read only as it comes, so that `duplex` has to be given. */
export function isStreaming(given: unknown): boolean {
  return !isBlob(given) && (isReadable(given) || isAsyncIterable(given))
}

/**
 * Reads a body in any form that `fetch` takes, of the classes of any environment. Bytes are copied, files and streams are
 * read as they are sent.
 */
export function readBody(given: unknown): FetchBody {
  if (isAnyArrayBuffer(given)) return bytesBody(Buffer.from(new Uint8Array(given)))
  if (ArrayBuffer.isView(given)) return bytesBody(copyOf(given))
  if (isBlob(given)) {
    const type = given.type === '' ? {} : { contentType: given.type }
    return { ...type, length: given.size, chunks: () => blobChunks(given) }
  }
  if (isForm(given)) return encodeForm(given)
  if (isQuery(given)) return textBody(String(given), 'application/x-www-form-urlencoded;charset=UTF-8')
  if (isReadable(given)) return { chunks: (closing) => streamChunks(given, closing) }
  if (isAsyncIterable(given))
    return { chunks: (closing) => streamChunks(ReadableStream.from(bytesOnly(given)), closing) }
  return textBody(String(given), 'text/plain;charset=UTF-8')
}

/** The body of a `Request` that some environments make without a stream. */
export function bufferedBody(request: Pick<Request, 'arrayBuffer'>): FetchBody {
  async function* chunks() {
    yield Buffer.from(await request.arrayBuffer())
  }
  return { chunks }
}

function textBody(text: string, contentType: string): FetchBody {
  return { contentType, ...bytesBody(Buffer.from(text)) }
}

function bytesBody(bytes: Buffer): FetchBody {
  async function* chunks() {
    if (bytes.length > 0) yield bytes
  }
  return { length: bytes.length, chunks }
}

function copyOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength))
}

async function* bytesOnly(source: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const chunk of source) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function* streamChunks(stream: ReadableStream<unknown>, closing: readonly AbortSignal[]) {
  const reader = stream.getReader()
  const reason = () => closing.find(({ aborted }) => aborted)?.reason
  const stop = () => void reader.cancel(reason()).catch(() => {})
  for (const signal of closing) signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (closing.some(({ aborted }) => aborted)) throw reason()
      if (done) return
      if (!isUint8Array(value)) throw new NotBytesError('Received non-Uint8Array chunk')
      yield value
    }
  } finally {
    for (const signal of closing) signal.removeEventListener('abort', stop)
    stop()
  }
}

/** By their methods, because `instanceof` knows the classes of one environment only. */
function isForm(value: unknown): value is FormData {
  const { append, getAll, sort, [Symbol.iterator]: entries } = Object(value)
  return [append, getAll, entries].every(isFunction) && !isFunction(sort)
}

function isQuery(value: unknown): value is URLSearchParams {
  const { append, getAll, sort } = Object(value)
  return [append, getAll, sort].every(isFunction)
}

function isReadable(value: unknown): value is ReadableStream<unknown> {
  return isFunction(Object(value).getReader)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isFunction(Object(value)[Symbol.asyncIterator])
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
