import { createHash } from 'node:crypto'
import type { Upload } from '../../protocol/resources.ts'
import { anySignal } from '../../system/signals.ts'
import { FileHostError } from '../errors.ts'
import {
  announcedSize,
  type ByteSpan,
  callSite,
  discard,
  type FileRequestOptions,
  foreignEncoding,
  requestFile,
} from '../site/file-request.ts'
import type { TransportResponse } from '../transports/transport.ts'

export type StoredFilesOptions = Omit<FileRequestOptions, 'signal' | 'maxWaitMs'>

interface Sink<T> {
  write(chunk: Uint8Array): void
  end(): T
}

/**
 * Reads raw files of the site by ranges that never begin at the first byte, because the site counts that as a view. What
 * was read is kept: several uploads may be compared with one stored file.
 *
 * Its methods return undefined where the site does not give these bytes, and throw `signal.reason` when aborted.
 */
export class StoredFiles {
  readonly #options: StoredFilesOptions
  /**
   * By slug, the SHA-256 of files that a site gave whole, because it ignores ranges; undefined where its answer proves
   * nothing. Each such answer may count as a view, so that none is asked for twice.
   */
  readonly #wholes = new Map<string, string | undefined>()
  readonly #parts = new Map<string, Uint8Array>()
  readonly #digests = new Map<string, string>()

  constructor(options: StoredFilesOptions) {
    this.#options = options
  }

  part(upload: Upload, span: ByteSpan, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const key = `${upload.slug} ${span.from}-${span.to}`
    return keep(this.#parts, key, () => this.#read(upload, span, collecting, signal))
  }

  /** The SHA-256, in hex, of the file with this first byte. */
  async digest(upload: Upload, first: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
    const rest = { from: 1, to: upload.size - 1 }
    const read = () => this.#read(upload, rest, () => hashing(first), signal)
    return (await keep(this.#digests, `${upload.slug} ${first}`, read)) ?? this.whole(upload)
  }

  /** The SHA-256, in hex, of a file that came whole instead of a part. */
  whole({ slug }: Upload): string | undefined {
    return this.#wholes.get(slug)
  }

  async #read<T>(
    { direct_url: url, size, slug }: Upload,
    span: ByteSpan,
    createSink: () => Sink<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    // A file of one byte has nothing but its first.
    const hasPart = span.from > 0 && span.to >= span.from
    if (!hasPart || !/^https?:$/.test(URL.parse(url)?.protocol ?? '') || this.#wholes.has(slug)) return undefined
    try {
      return await callSite<T | undefined>({
        ...this.#options,
        url,
        signal,
        // The run does not wait for a site that is busy: the outcome stays unknown until the next run.
        maxWaitMs: 0,
        send: async (number) => {
          const wanted = { url, span, size, number }
          const { answer, value, whole } = await readPart(wanted, createSink(), { ...this.#options, signal })
          if (answer.status === 200) this.#wholes.set(slug, whole)
          return { answer, value }
        },
        unanswered: () => ({ value: undefined }),
      })
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

async function keep<T>(kept: Map<string, T>, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
  const value = kept.get(key) ?? (await read())
  if (value !== undefined) kept.set(key, value)
  return value
}

function collecting(): Sink<Uint8Array> {
  const chunks: Uint8Array[] = []
  return { write: (chunk) => void chunks.push(chunk), end: () => Buffer.concat(chunks) }
}

function hashing(first: Uint8Array = new Uint8Array()): Sink<string> {
  const hash = createHash('sha256').update(first)
  return { write: (chunk) => void hash.update(chunk), end: () => hash.digest('hex') }
}

interface WantedPart {
  readonly url: string
  readonly span: ByteSpan
  /** Of the whole file, in bytes. */
  readonly size: number
  /** Of the attempt. */
  readonly number: number
}

/** @returns no value where the answer has other bytes than were asked for; `whole` is the digest where it has all */
async function readPart<T>(
  { url, span, size, number }: WantedPart,
  sink: Sink<T>,
  options: FileRequestOptions & { readonly signal: AbortSignal },
) {
  const unwanted = new AbortController()
  const signal = anySignal([options.signal, unwanted.signal])
  const range = { range: `bytes=${span.from}-${span.to}` }
  const answer = await requestFile(url, range, number, { ...options, signal })
  const isPlain = foreignEncoding(answer) === undefined
  const isPage = /html/i.test(answer.headers['content-type'] ?? '')
  // A page of something in between never proves what is stored.
  if (answer.status === 200 && isPlain && !isPage && (announcedSize(answer) ?? size) === size) {
    return { answer, value: undefined, whole: await taken(answer, size, hashing()) }
  }
  const isSpan = answer.headers['content-range'] === `bytes ${span.from}-${span.to}/${size}`
  if (answer.status === 206 && isPlain && isSpan) {
    return { answer, value: await taken(answer, span.to - span.from + 1, sink) }
  }
  // Nothing more than the head of the answer is read.
  unwanted.abort()
  await discard(answer)
  return { answer, value: undefined }
}

/** @returns undefined for a body of another length, of which no more is read */
async function taken<T>({ body }: TransportResponse, wanted: number, sink: Sink<T>): Promise<T | undefined> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > wanted) return undefined
    sink.write(chunk)
  }
  return bytes === wanted ? sink.end() : undefined
}
