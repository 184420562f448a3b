import { hash } from 'node:crypto'
import { ArgumentError } from '../../src/checks/coded-error.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { BlobStore } from '../storage/blobs.ts'
import type { UploadRecord } from '../storage/record-types.ts'

/** A snapshot that cannot be made or used; the state does not change. */
export class SnapshotError extends ArgumentError<'invalid-snapshot'> {
  override readonly name = 'SnapshotError'

  constructor(message: string, options?: ErrorOptions) {
    super('invalid-snapshot', message, options)
  }
}

/** The most bytes of files in a snapshot (128 MiB): in base64, with records, that still fits one JavaScript string. */
const mostSnapshotBytes = 134_217_728

/** Uploads, and the bytes they refer to by SHA-256. */
export interface BlobsOfUploads {
  readonly uploads: readonly UploadRecord[]
  readonly blobs: ReadonlyMap<string, Buffer>
}

/**
 * Reads the files of uploads. No file may be removed meanwhile: see {@link BlobStore.hold}.
 * @throws SnapshotError if a file is gone or damaged, or together they exceed {@link mostSnapshotBytes}
 */
export async function collectBlobs(uploads: readonly UploadRecord[], blobs: BlobStore): Promise<BlobsOfUploads> {
  const bytes = uploads.reduce((sum, { blobId, sizeBytes }) => sum + (blobId === null ? 0 : sizeBytes), 0)
  if (bytes > mostSnapshotBytes) {
    throw new SnapshotError(`The files add up to ${bytes} bytes; a snapshot carries up to ${mostSnapshotBytes}`)
  }
  const collected = new Map<string, Buffer>()
  const collect = async ({ blobId, sizeBytes }: ReferredFile) => {
    const found = Buffer.concat(await Array.fromAsync(blobs.read(blobId)))
    if (found.length !== sizeBytes) throw new Error(`it has ${found.length} bytes instead of ${sizeBytes}`)
    const digest = hash('sha256', found)
    collected.set(digest, found)
    return digest
  }
  const kept: UploadRecord[] = []
  for (const upload of uploads) {
    try {
      kept.push(await withFiles(upload, collect))
    } catch (cause) {
      const problem = `The files of upload ${upload.slug} cannot be read: ${reasonOf(cause)}`
      throw new SnapshotError(`${problem}; put the file back, or delete this upload`, { cause })
    }
  }
  return { uploads: kept, blobs: collected }
}

/**
 * Stores the bytes that uploads refer to by digest. Every upload gets its own blobs, since deleting an upload deletes
 * its blobs.
 * @throws SnapshotError if bytes are missing or do not match their digest or size; removes what it stored
 */
export async function storeBlobs({ uploads, blobs: found }: BlobsOfUploads, blobs: BlobStore): Promise<UploadRecord[]> {
  const stored: string[] = []
  const store = async ({ owner, blobId: digest, sizeBytes }: ReferredFile) => {
    const bytes = found.get(digest)
    if (bytes === undefined) throw new SnapshotError(`The snapshot lacks the blob ${digest}`)
    if (hash('sha256', bytes) !== digest) throw new SnapshotError(`The snapshot's blob ${digest} has other bytes`)
    if (bytes.length !== sizeBytes) {
      throw new SnapshotError(
        `The snapshot's ${owner} has size_bytes ${sizeBytes}, but its blob has ${bytes.length} bytes`,
      )
    }
    const writer = blobs.create()
    stored.push(writer.id)
    await writer.write(bytes)
    await writer.commit()
    return writer.id
  }
  try {
    const placed: UploadRecord[] = []
    for (const upload of uploads) placed.push(await withFiles(upload, store))
    return placed
  } catch (error) {
    for (const id of stored) blobs.discard(id)
    throw error
  }
}

/** A file or thumbnail that an upload refers to. */
interface ReferredFile {
  /** For messages, after "the snapshot's". */
  readonly owner: string
  readonly blobId: string
  readonly sizeBytes: number
}

/** @param place gives each of the upload's files another blob id */
async function withFiles(upload: UploadRecord, place: (file: ReferredFile) => Promise<string>): Promise<UploadRecord> {
  const { slug, blobId, sizeBytes, thumbnail } = upload
  const placed = blobId && (await place({ owner: `file of upload ${slug}`, blobId, sizeBytes }))
  if (thumbnail.state !== 'ready') return { ...upload, blobId: placed }
  // A small picture is its own thumbnail.
  const isOwn = thumbnail.blobId === blobId
  const ofThumbnail = (isOwn && placed) || (await place({ ...thumbnail, owner: `thumbnail of upload ${slug}` }))
  return { ...upload, blobId: placed, thumbnail: { ...thumbnail, blobId: ofThumbnail } }
}
