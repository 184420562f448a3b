import { crc32 } from 'node:zlib'
import { acceptedMediaType, sniffLengthBytes, sniffMimeType } from '../../src/protocol/media-types.ts'
import type { BlobStore, BlobWriter } from '../storage/blob-store.ts'
import type { ReceivedFile } from './file-rules.ts'
import { reencodingTrail } from './reencoding.ts'

/** Takes a file in as it arrives: tells its type, counts it, and stores what may be kept, holding only its head. */
export interface FileIntake {
  /**
   * Resolves when more may follow; a chunk is not touched afterwards.
   * @throws Error where it could not be stored; nothing is left behind of the file
   */
  write(chunk: Uint8Array): Promise<void>
  /**
   * To be called when the last byte has been written.
   * @throws Error where it could not be stored; nothing is left behind of the file
   */
  finish(): Promise<ReceivedFile>
  /** Leaves nothing behind of a file that will not be finished. */
  discard(): Promise<void>
}

interface FileIntakeContext {
  readonly blobs: BlobStore
  readonly name: string
  readonly maxBytes: number
  /** Whether what is stored shall differ from what arrived. */
  readonly reencode: boolean
}

export function createFileIntake({ blobs, name, maxBytes, reencode }: FileIntakeContext): FileIntake {
  let head: Uint8Array[] | undefined = []
  let mimeType: string | undefined
  let sizeBytes = 0
  let checksum = 0
  let writer: BlobWriter | undefined

  const discard = async () => {
    await writer?.discard()
    writer = undefined
  }

  /** A file of a type that is refused anyway is counted to its end, but not stored. */
  const decide = async (chunks: readonly Uint8Array[]) => {
    const start = Buffer.concat(chunks)
    head = undefined
    mimeType = sniffMimeType(start.subarray(0, sniffLengthBytes))
    if (mimeType === undefined || acceptedMediaType(mimeType) === undefined) return
    writer = blobs.create()
    await writer.write(start)
  }

  const take = async (chunk: Uint8Array) => {
    sizeBytes += chunk.length
    checksum = crc32(chunk, checksum)
    if (head === undefined) await writer?.write(chunk)
    else {
      head.push(chunk)
      if (sizeBytes >= sniffLengthBytes) await decide(head)
    }
    if (sizeBytes > maxBytes) await discard()
  }

  const complete = async (): Promise<ReceivedFile> => {
    if (head !== undefined) await decide(head)
    if (sizeBytes > maxBytes) await discard()
    const trail = reencode && mimeType !== undefined ? reencodingTrail(mimeType) : nothing
    if (trail.length > 0) await writer?.write(trail)
    await writer?.commit()
    return {
      kind: 'file',
      name,
      mimeType,
      sizeBytes,
      maxBytes,
      ...(writer === undefined ? {} : { blobId: writer.id, checksum, storedBytes: sizeBytes + trail.length }),
    }
  }

  return { write: take, finish: complete, discard }
}

const nothing = new Uint8Array()
