import { createHash } from 'node:crypto'
import { acceptedMediaType, executableName, sniffLengthBytes, sniffMimeType } from '../../src/protocol/media-types.ts'
import type { BlobStore, BlobWriter } from '../storage/blobs.ts'

/** The content of an upload's `file` field. */
export type SubmittedFile =
  | { readonly kind: 'missing' }
  /** Text, a number or a list instead of a file. */
  | {
      readonly kind: 'not-a-file'
      /** The number of characters or values. */
      readonly length: number
    }
  /** The request ended before the file did. */
  | { readonly kind: 'incomplete' }
  | ReceivedFile

/** A file that was received completely. */
export interface ReceivedFile {
  readonly kind: 'file'
  /** As sent by the client. */
  readonly name: string
  /** Detected from the content; undefined if unknown. */
  readonly mimeType: string | undefined
  readonly sizeBytes: number
  /** Of the received bytes, in lower-case hexadecimal. */
  readonly sha256: string
  /** The size limit when the file began to arrive. */
  readonly maxBytes: number
  /** The stored bytes; absent if the type was wrong or the file too large. */
  readonly blobId?: string
  /** The stored size, present with `blobId`; differs from `sizeBytes` after re-encoding. */
  readonly storedBytes?: number
}

/** A rule that a submitted file breaks; who answers chooses the words. */
export type FileProblem =
  | { readonly kind: 'missing' | 'not-a-file' | 'incomplete' | 'wrong-type' }
  | {
      readonly kind: 'too-large'
      readonly maxBytes: number
      /** The limit counts kilobytes of a file, and characters of a text. */
      readonly counts: 'kilobytes' | 'characters'
    }

/**
 * Why a submitted file is refused: every failed rule, in the order presence, file, type, size.
 * @param maxBytes the current size limit, for what is not a file
 * @returns an empty list if the file can be stored
 */
export function fileProblems(file: SubmittedFile, maxBytes: number): readonly FileProblem[] {
  switch (file.kind) {
    case 'missing':
    case 'incomplete':
      return [{ kind: file.kind }]
    case 'not-a-file':
      return [
        { kind: 'not-a-file' },
        { kind: 'wrong-type' },
        ...problemsIf(file.length > maxBytes / 1_024, { kind: 'too-large', maxBytes, counts: 'characters' }),
      ]
    case 'file': {
      const typeAccepted = file.mimeType !== undefined && acceptedMediaType(file.mimeType) !== undefined
      return [
        ...problemsIf(!typeAccepted || executableName.test(file.name), { kind: 'wrong-type' }),
        ...problemsIf(isOversized(file), { kind: 'too-large', maxBytes: file.maxBytes, counts: 'kilobytes' }),
      ]
    }
  }
}

function problemsIf(isBroken: boolean, problem: FileProblem): readonly FileProblem[] {
  return isBroken ? [problem] : []
}

/** Whether the file is too large, even if it fails other rules too. */
export function isOversized(file: SubmittedFile): boolean {
  return file.kind === 'file' && file.sizeBytes > file.maxBytes
}

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
