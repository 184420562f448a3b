import { createHash } from 'node:crypto'
import type { Upload } from '../../protocol/resources.ts'
import { anySignal } from '../../system/signals.ts'
import { FileHostError } from '../errors.ts'
import type { TransportResponse } from '../transports/transport.ts'
import { announcedSize, type ByteSpan, discard, type FileRequestOptions, requestFile } from './file-request.ts'
import { callSite } from './site-call.ts'
import { foreignEncoding } from './unpacked.ts'

export type StoredFilesOptions = Omit<FileRequestOptions, 'signal' | 'maxWaitMs'>

interface Sink<T> {
  write(chunk: Uint8Array): void
  end(): T
}

export function createStoredFiles(options: StoredFilesOptions) {
  /**
   * By slug, the SHA-256 of files that a site gave whole, because it ignores ranges; undefined where its answer proves
   * nothing. Each such answer may count as a view, so that none is asked for twice.
   */
  const wholes = new Map<string, string | undefined>()
  const parts = new Map<string, Uint8Array>()
  const digests = new Map<string, string>()

  async function read<T>(upload: Upload, span: ByteSpan, createSink: () => Sink<T>, signal: AbortSignal) {
    const { direct_url: url, size, slug } = upload
    if (!isAskable(url, span) || wholes.has(slug)) return undefined
    try {
      return await callSite<T | undefined>({
        ...options,
        url,
        signal,
        // The run does not wait for a site that is busy: the outcome stays unknown until the next run.
        maxWaitMs: 0,
        async send(number) {
          const wanted = { url, span, size, number }
          const { answer, value, whole } = await readPart(wanted, createSink(), { ...options, signal })
          if (answer.status === 200) wholes.set(slug, whole)
          return { answer, value }
        },
        unanswered: () => ({ value: undefined }),
      })
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }

  return {
    part: (upload: Upload, span: ByteSpan, signal: AbortSignal): Promise<Uint8Array | undefined> =>
      keep(parts, `${upload.slug} ${span.from}-${span.to}`, () => read(upload, span, collecting, signal)),
    /** The SHA-256, in hex, of the file with this first byte. */
    digest: async (upload: Upload, first: Uint8Array, signal: AbortSignal): Promise<string | undefined> => {
      const rest = { from: 1, to: upload.size - 1 }
      const asked = keep(digests, `${upload.slug} ${first}`, () => read(upload, rest, () => hashing(first), signal))
      return (await asked) ?? wholes.get(upload.slug)
    },
    /** The SHA-256, in hex, of a file that came whole instead of a part. */
    whole: ({ slug }: Upload): string | undefined => wholes.get(slug),
  }
}

/**
 * Reads raw files of the site by ranges that never begin at the first byte, because the site counts that as a view. What
 * was read is kept: several uploads may be compared with one stored file.
 *
 * Its functions return undefined where the site does not give these bytes, and throw `signal.reason` when aborted.
 */
export type StoredFiles = ReturnType<typeof createStoredFiles>

async function keep<T>(kept: Map<string, T>, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
  const value = kept.get(key) ?? (await read())
  if (value !== undefined) kept.set(key, value)
  return value
}

/** A file of one byte has nothing but its first. */
function isAskable(url: string, { from, to }: ByteSpan): boolean {
  return from > 0 && to >= from && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
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
  const isWhole = mayBeWhole(answer, size)
  if (!isWhole && !isPart(answer, span, size)) {
    // Nothing more than the head of the answer is read.
    unwanted.abort()
    await discard(answer)
    return { answer, value: undefined }
  }
  if (isWhole) return { answer, value: undefined, whole: await taken(answer, size, hashing()) }
  return { answer, value: await taken(answer, span.to - span.from + 1, sink) }
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

/** Whether an answer to a range may have the whole file. A page of something in between never proves what is stored. */
function mayBeWhole(response: TransportResponse, size: number): boolean {
  const isFile = !/html/i.test(response.headers['content-type'] ?? '') && foreignEncoding(response) === undefined
  return response.status === 200 && isFile && (announcedSize(response) ?? size) === size
}

/** Whether an answer has these bytes, as they are stored, of a file of this size. */
function isPart(response: TransportResponse, { from, to }: ByteSpan, size: number): boolean {
  const isSpan = response.headers['content-range'] === `bytes ${from}-${to}/${size}`
  return response.status === 206 && isSpan && foreignEncoding(response) === undefined
}
