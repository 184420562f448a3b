import { createHash, type Hash } from 'node:crypto'
import type { ByteSpan } from '../calls/file-request.ts'
import { FileHostError } from '../errors.ts'
import { openFileSource } from '../sources/file-source.ts'
import type { UploadSource } from '../sources/open-any.ts'
import { type PreparedSource, prepareSource } from '../sources/upload-source.ts'
import type { UploadIntent } from './upload-intent.ts'

/** What is kept of a file, so that a stored file can be compared with it. */
export interface FilePrint {
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
export type ReadPrint = (signal: AbortSignal) => Promise<FilePrint | undefined>

/** Where what was sent is not known. */
export const noPrint: ReadPrint = async () => undefined

/** Of a file as it is now. @param sha256 of the bytes that were sent, in hex; empty if it is not known */
export function printOfFile(path: string | undefined, sha256: string): ReadPrint {
  if (path === undefined || sha256 === '') return noPrint
  return once(async (signal) => {
    const print = await readPrint(await openFileSource(path), signal)
    return print.sha256 === sha256 ? print : undefined
  })
}

/** Of a source that may be the one of an intent. */
export function printOfSource(source: UploadSource | undefined, { size }: UploadIntent): ReadPrint {
  if (source === undefined) return noPrint
  return once(async (signal) => {
    const prepared = await prepareSource(source, { maxFileSizeBytes: Number.POSITIVE_INFINITY, anyType: true, signal })
    try {
      const print = await readPrint(prepared, signal)
      return size === null || print.size === size ? print : undefined
    } finally {
      prepared.close()
    }
  })
}

/** Of the source of an upload. What cannot be read again without a request is hashed while it is sent. */
export interface SourcePrinter {
  /** An attempt begins. */
  restart(): void
  sent(bytes: Uint8Array): void
  readonly read: ReadPrint
}

export function createSourcePrinter(source: PreparedSource): SourcePrinter {
  if (source.isAtHand) {
    return { restart() {}, sent() {}, read: once((signal) => readPrint(source, signal)) }
  }
  let hash: Hash | undefined
  let size = 0
  let first = new Uint8Array()
  return {
    restart() {
      hash = createHash('sha256')
      size = 0
    },
    sent(bytes) {
      if (size === 0) first = new Uint8Array(bytes.subarray(0, 1))
      size += bytes.length
      hash?.update(bytes)
    },
    read: async () => hash && { size, sha256: hash.copy().digest('hex'), first, samples: [] },
  }
}

/** A file that was read is not read again. */
function once(read: ReadPrint): ReadPrint {
  let print: FilePrint | undefined
  return async (signal) => {
    try {
      print ??= await read(signal)
      return print
    } catch (error) {
      if (error instanceof FileHostError) return undefined
      throw error
    }
  }
}

/** @throws SourceError if it cannot be read, or is changed meanwhile; `signal.reason` when aborted */
async function readPrint(
  { size = 0, read }: { readonly size: number | undefined; read(): AsyncIterable<Uint8Array> },
  signal: AbortSignal,
): Promise<FilePrint> {
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
