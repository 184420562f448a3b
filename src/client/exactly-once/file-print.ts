import { createHash } from 'node:crypto'
import type { ByteSpan } from '../calls/file-request.ts'
import { openFileSource } from '../sources/file-source.ts'

/** What is kept of a file, so that a stored file can be compared with it. */
export interface FilePrint {
  /** In bytes. */
  readonly size: number
  /** In hex. */
  readonly sha256: string
  /** The first byte: the one that is never asked for. */
  readonly first: Uint8Array
  /** The bytes of the spans that {@link samplesOf} names. */
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

/** Reads a file once. @throws SourceError if it cannot be read, or is changed meanwhile; `signal.reason` when aborted */
export async function readPrint(path: string, signal: AbortSignal): Promise<FilePrint> {
  const { size = 0, head, read } = await openFileSource(path)
  const hash = createHash('sha256')
  const spans = samplesOf(size)
  const samples = spans.map(() => new Uint8Array(SAMPLE_BYTES))
  let at = 0
  for await (const chunk of read()) {
    signal.throwIfAborted()
    hash.update(chunk)
    for (const [index, { from, to }] of spans.entries()) {
      const part = chunk.subarray(Math.max(from - at, 0), Math.max(to + 1 - at, 0))
      if (part.length > 0) samples[index]?.set(part, Math.max(at - from, 0))
    }
    at += chunk.length
  }
  return { size, sha256: hash.digest('hex'), first: head.slice(0, 1), samples }
}
