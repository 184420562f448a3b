import { createHash, type Hash } from 'node:crypto'
import { FileHostError } from '../errors.ts'
import type { ByteSpan } from '../site/file-request.ts'
import { openFileSource } from '../sources/file-source.ts'
import { type PreparedSource, prepareSource, type UploadSource } from '../sources/upload-source.ts'

/** What is kept of a file, so that a stored file can be compared with it. */
export interface Fingerprint {
  /** In bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
  /** The first byte: the one that is never asked for. */
  readonly first: Uint8Array
  /** The bytes of the spans that {@link samplesOf} names; none of a stream. */
  readonly samples: readonly Uint8Array[]
}

/** A smaller file arrives whole as fast as its samples. */
const SAMPLED_FROM_BYTES = 65_536
const SAMPLE_BYTES = 1_024

/** Parts that most likely differ between two files of this size; none for a small file. */
export function samplesOf(size: number): readonly ByteSpan[] {
  if (size < SAMPLED_FROM_BYTES) return []
  const starts = [Math.floor(size / 4), Math.floor(size / 2), size - SAMPLE_BYTES]
  return starts.map((from) => ({ from, to: from + SAMPLE_BYTES - 1 }))
}

/** @returns undefined where the bytes cannot be read, or are not those that were sent: then they prove nothing */
export type ReadFingerprint = (signal: AbortSignal) => Promise<Fingerprint | undefined>

/** Of a file as it is now. @param sha256 of the bytes that were sent, in hex; empty if it is not known */
export function fingerprintOfFile(path: string | undefined, sha256: string): ReadFingerprint {
  if (path === undefined || sha256 === '') return async () => undefined
  return once(async (signal) => {
    const fingerprint = await readFingerprint(await openFileSource(path), signal)
    return fingerprint.sha256 === sha256 ? fingerprint : undefined
  })
}

/** Of a source that may be the one that was sent. @param size of what was sent, in bytes; null if that is not known */
export function fingerprintOfSource(source: UploadSource | undefined, size: number | null): ReadFingerprint {
  if (source === undefined) return async () => undefined
  return once(async (signal) => {
    const prepared = await prepareSource(source, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true, signal })
    try {
      const fingerprint = await readFingerprint(prepared, signal)
      return size === null || fingerprint.size === size ? fingerprint : undefined
    } finally {
      prepared.close()
    }
  })
}

/** The fingerprint of what an upload sends. What cannot be read again without a request is hashed while it is sent. */
export class SentFingerprint {
  readonly read: ReadFingerprint
  readonly #isAtHand: boolean
  #hash: Hash | undefined
  #size = 0
  #first = new Uint8Array()

  constructor(source: PreparedSource) {
    this.#isAtHand = source.isAtHand
    this.read = source.isAtHand
      ? once((signal) => readFingerprint(source, signal))
      : async () =>
          this.#hash && {
            size: this.#size,
            sha256: this.#hash.copy().digest('hex'),
            first: this.#first,
            samples: [],
          }
  }

  /** An attempt begins. */
  restart(): void {
    this.#hash = this.#isAtHand ? undefined : createHash('sha256')
    this.#size = 0
  }

  sent(bytes: Uint8Array): void {
    if (this.#hash === undefined) return
    if (this.#size === 0) this.#first = new Uint8Array(bytes.subarray(0, 1))
    this.#size += bytes.length
    this.#hash.update(bytes)
  }
}

/** A file that was read is not read again. */
function once(read: ReadFingerprint): ReadFingerprint {
  let fingerprint: Fingerprint | undefined
  return async (signal) => {
    try {
      fingerprint ??= await read(signal)
      return fingerprint
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

/** @throws SourceError if it cannot be read, or is changed meanwhile; `signal.reason` when aborted */
async function readFingerprint(
  { size = 0, read }: { readonly size: number | undefined; read(): AsyncIterable<Uint8Array> },
  signal: AbortSignal,
): Promise<Fingerprint> {
  const hash = createHash('sha256')
  const spans = samplesOf(size)
  const samples = spans.map(() => new Uint8Array(SAMPLE_BYTES))
  let first = new Uint8Array()
  let at = 0
  for await (const chunk of read()) {
    signal.throwIfAborted()
    hash.update(chunk)
    if (at === 0) first = chunk.slice(0, 1)
    for (const [index, { from, to }] of spans.entries()) {
      const part = chunk.subarray(Math.max(from - at, 0), Math.max(to + 1 - at, 0))
      if (part.length > 0) samples[index]?.set(part, Math.max(at - from, 0))
    }
    at += chunk.length
  }
  return { size: at, sha256: hash.digest('hex'), first, samples }
}
