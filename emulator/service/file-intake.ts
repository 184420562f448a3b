import { createHash } from 'node:crypto'
import { acceptedMediaType, sniffLengthBytes, sniffMimeType } from '../../src/protocol/media-types.ts'
import type { BlobStore, BlobWriter } from '../storage/blobs.ts'
import type { ReceivedFile } from './file-rules.ts'

interface FileIntakeContext {
  readonly blobs: BlobStore
  readonly name: string
  readonly maxBytes: number
  /** Whether the stored bytes should differ from the received ones, as after re-encoding. */
  readonly reencode: boolean
}

export function createFileIntake({ blobs, name, maxBytes, reencode }: FileIntakeContext) {
  let head: Uint8Array[] | undefined = []
  let mimeType: string | undefined
  const meter = createFileMeter(name)
  let writer: BlobWriter | undefined

  const discard = async () => {
    await writer?.discard()
    writer = undefined
  }

  /** A file of an unacceptable type is counted to its end but not stored. */
  const decide = async (chunks: readonly Uint8Array[]) => {
    const start = Buffer.concat(chunks)
    head = undefined
    mimeType = sniffMimeType(start.subarray(0, sniffLengthBytes))
    if (mimeType === undefined || acceptedMediaType(mimeType) === undefined) return
    writer = blobs.create()
    await writer.write(start)
  }

  const take = async (chunk: Uint8Array) => {
    const sizeBytes = meter.take(chunk)
    if (head === undefined) await writer?.write(chunk)
    else {
      head.push(chunk)
      if (sizeBytes >= sniffLengthBytes) await decide(head)
    }
    if (sizeBytes > maxBytes) await discard()
  }

  const complete = async (): Promise<ReceivedFile> => {
    if (head !== undefined) await decide(head)
    const measured = meter.measured()
    if (measured.sizeBytes > maxBytes) await discard()
    const trail = reencode && mimeType !== undefined ? reencodingTrail(mimeType) : nothing
    if (trail.length > 0) await writer?.write(trail)
    await writer?.commit()
    return {
      kind: 'file',
      ...measured,
      mimeType,
      maxBytes,
      ...(writer === undefined ? {} : { blobId: writer.id, storedBytes: measured.sizeBytes + trail.length }),
    }
  }

  return {
    /**
     * Resolves when the next chunk may follow. The chunk is kept for a while and must not be reused.
     * @throws Error if storing fails; nothing of the file is kept
     */
    write: take,
    /**
     * Call after the last chunk.
     * @throws Error if storing fails; nothing of the file is kept
     */
    finish: complete,
    /** Removes everything stored of an unfinished file. */
    discard,
    /** What arrived; call after the last write. */
    received: meter.measured,
  }
}

/**
 * Receives an uploaded file: detects its type, counts and hashes its bytes, and stores acceptable ones. Only its first
 * bytes stay in memory.
 */
export type FileIntake = ReturnType<typeof createFileIntake>

/** Measures files and keeps nothing of them. */
export const measuringFiles = {
  receive(name: string): FileIntake {
    const meter = createFileMeter(name)
    return {
      write: async (chunk) => void meter.take(chunk),
      finish: async () => ({ kind: 'file', ...meter.measured(), mimeType: undefined, maxBytes: 0 }),
      discard: async () => {},
      received: meter.measured,
    }
  },
  discard: async () => {},
}

/** What is known of a file from its bytes alone. */
export type MeasuredFile = Pick<ReceivedFile, 'name' | 'sizeBytes' | 'sha256'>

/** Counts and hashes a file. */
function createFileMeter(name: string) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let sha256: string | undefined
  return {
    /** @returns the bytes so far */
    take(chunk: Uint8Array) {
      sizeBytes += chunk.length
      hash.update(chunk)
      return sizeBytes
    },
    measured(): MeasuredFile {
      sha256 ??= hash.digest('hex')
      return { name, sizeBytes, sha256 }
    },
  }
}

const nothing = new Uint8Array()

const isoFreeBox = Buffer.from('\0\0\0\x08free', 'latin1')
const ebmlVoid = Buffer.from([0xec, 0x82, 0, 0])
const padding = Buffer.alloc(8)

/**
 * Bytes appended to a file as if the service had re-encoded it. Decoders ignore them: the picture stays the same, its
 * size and digest change, and clients notice only those.
 */
function reencodingTrail(mimeType: string): Uint8Array {
  if (mimeType === 'video/mp4' || mimeType === 'video/quicktime') return isoFreeBox
  return mimeType === 'video/webm' ? ebmlVoid : padding
}
