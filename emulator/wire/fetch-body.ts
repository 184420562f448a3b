import { randomUUID } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { blobChunks, isBlob } from '../../src/system/blob-bytes.ts'

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
  return !isBlob(given) && (has(given, 'getReader') || has(given, Symbol.asyncIterator))
}

/**
 * Reads a body in any form that `fetch` takes, of the classes of any environment: their methods tell them, because
 * `instanceof` knows the classes of one environment only. Bytes are copied, files and streams are read as they are sent.
 */
export function readBody(given: unknown): FetchBody {
  if (isAnyArrayBuffer(given)) return bytesBody(Buffer.from(new Uint8Array(given)))
  if (ArrayBuffer.isView(given)) return bytesBody(copyOf(given))
  if (isBlob(given)) {
    const type = given.type === '' ? {} : { contentType: given.type }
    return { ...type, length: given.size, chunks: () => blobChunks(given) }
  }
  if (has(given, 'append') && has(given, 'getAll')) {
    if (!has(given, 'sort')) return formBody(given as FormData)
    return textBody(String(given), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (has(given, 'getReader')) return { chunks: (closing) => streamChunks(given as ReadableStream, closing) }
  if (has(given, Symbol.asyncIterator)) {
    const bytes = bytesOnly(given as AsyncIterable<unknown>)
    return { chunks: (closing) => streamChunks(ReadableStream.from(bytes), closing) }
  }
  return textBody(String(given), 'text/plain;charset=UTF-8')
}

function has(value: unknown, method: string | symbol): boolean {
  return typeof Object(value)[method] === 'function'
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

const lineEnd = Buffer.from('\r\n')

/** Writes a `FormData` as multipart/form-data, as browsers do (HTML 4.10.21.8). */
function formBody(form: FormData): FetchBody {
  const boundary = `----filehost-${randomUUID()}`
  const parts = Array.from(form as unknown as Iterable<[string, unknown]>, (entry) => toPart(boundary, entry))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(({ head, content }) => head.length + sizeOf(content) + lineEnd.length)
  async function* chunks() {
    for (const { head, content } of parts) {
      yield head
      if (isBlob(content)) yield* blobChunks(content)
      else yield content
      yield lineEnd
    }
    yield end
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, end.length),
    chunks,
  }
}

/** A part of a form: its head, and what follows it. */
interface Part {
  readonly head: Buffer
  readonly content: Buffer | Blob
}

function toPart(boundary: string, [name, value]: readonly [string, unknown]): Part {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(withLineEnds(name))}"`
  if (!isBlob(value)) {
    return { head: Buffer.from(`${disposition}\r\n\r\n`), content: Buffer.from(withLineEnds(String(value))) }
  }
  const filename = 'name' in value ? String(value.name) : 'blob'
  const type = value.type || 'application/octet-stream'
  const head = `${disposition}; filename="${escaped(filename)}"\r\nContent-Type: ${type}\r\n\r\n`
  return { head: Buffer.from(head), content: value }
}

function sizeOf(content: Part['content']): number {
  return isBlob(content) ? content.size : content.length
}

function withLineEnds(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}

function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
