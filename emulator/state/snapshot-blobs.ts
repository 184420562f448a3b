import { hash } from 'node:crypto'
import { ArgumentError } from '../../src/checks/coded-error.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { BlobStore } from '../storage/blobs.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'

/** A snapshot that cannot be used; the state does not change. */
export class SnapshotError extends ArgumentError<'invalid-snapshot'> {
  override readonly name = 'SnapshotError'

  constructor(message: string, options?: ErrorOptions) {
    super('invalid-snapshot', message, options)
  }
}

/** The most bytes of files in a snapshot (128 MiB): in base64, with records, that still fits one JavaScript string. */
export const mostSnapshotBytes = 134_217_728

/** Uploads, and the bytes they refer to by SHA-256. */
export interface BlobsOfUploads {
  readonly uploads: readonly UploadRecord[]
  readonly blobs: ReadonlyMap<string, Buffer>
}

export interface CollectedBlobs extends BlobsOfUploads {
  readonly missing: readonly MissingFile[]
}

/** An upload whose file or thumbnail is gone or differs from its record. */
export interface MissingFile {
  /** The record as stored. */
  readonly upload: UploadRecord
  readonly reason: string
}

/**
 * Reads the files of uploads. Moves those with a damaged file, and those that are deleted meanwhile, to `missing`, and
 * drops damaged thumbnails.
 * @throws SnapshotError if the files exceed {@link mostSnapshotBytes}
 */
export async function collectBlobs(
  uploads: readonly UploadRecord[],
  { records, blobs }: { readonly records: RecordStore; readonly blobs: BlobStore },
): Promise<CollectedBlobs> {
  refuseTooMuch(uploads)
  const collected = new Map<string, Buffer>()
  const digests = new Map<string, string>()
  const collect = async ({ blobId, sizeBytes }: ReferredFile) => {
    const bytes = Buffer.concat(await Array.fromAsync(blobs.read(blobId)))
    if (bytes.length !== sizeBytes) throw new Error(`it has ${bytes.length} bytes instead of ${sizeBytes}`)
    const digest = hash('sha256', bytes)
    digests.set(blobId, digest)
    collected.set(digest, bytes)
  }
  const isGone = ({ slug, id }: UploadRecord) => records.uploads.findBySlug(slug)?.id !== id

  const kept: UploadRecord[] = []
  const missing: MissingFile[] = []
  for (const upload of uploads) {
    const damages: Damage[] = []
    for (const file of filesOf(upload)) await collect(file).catch((error) => damages.push({ file, error }))
    for (const { file, error } of damages) {
      const why = isGone(upload) ? 'it was deleted while the snapshot was made' : reasonOf(error)
      missing.push({ upload, reason: `The ${file.owner} cannot be read: ${why}` })
    }
    if (damages.some(({ file }) => !file.isThumbnail)) continue
    const whole: UploadRecord = damages.length === 0 ? upload : { ...upload, thumbnail: { state: 'none' } }
    kept.push(withBlobIds(whole, (blobId) => digests.get(blobId) ?? blobId))
  }
  return { uploads: kept, blobs: collected, missing }
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
    for (const upload of uploads) {
      const ids = new Map<string, string>()
      for (const file of filesOf(upload)) {
        if (!ids.has(file.blobId)) ids.set(file.blobId, await store(file))
      }
      placed.push(withBlobIds(upload, (digest) => ids.get(digest) ?? digest))
    }
    return placed
  } catch (error) {
    removeBlobs(stored, blobs)
    throw error
  }
}

/** A file or thumbnail that an upload refers to. */
interface ReferredFile {
  /** For messages, after "the snapshot's". */
  readonly owner: string
  readonly isThumbnail: boolean
  readonly blobId: string
  readonly sizeBytes: number
}

interface Damage {
  readonly file: ReferredFile
  readonly error: unknown
}

function filesOf({ slug, blobId, sizeBytes, thumbnail }: UploadRecord): readonly ReferredFile[] {
  const file = blobId === null ? [] : [{ owner: `file of upload ${slug}`, isThumbnail: false, blobId, sizeBytes }]
  if (thumbnail.state !== 'ready') return file
  return [...file, { ...thumbnail, owner: `thumbnail of upload ${slug}`, isThumbnail: true }]
}

function withBlobIds(upload: UploadRecord, rename: (blobId: string) => string): UploadRecord {
  const { blobId, thumbnail } = upload
  return {
    ...upload,
    blobId: blobId === null ? null : rename(blobId),
    thumbnail: thumbnail.state === 'ready' ? { ...thumbnail, blobId: rename(thumbnail.blobId) } : thumbnail,
  }
}

function refuseTooMuch(uploads: readonly UploadRecord[]): void {
  const files = uploads.filter(({ blobId }) => blobId !== null)
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (bytes <= mostSnapshotBytes) return
  throw new SnapshotError(`The files add up to ${bytes} bytes; a snapshot carries up to ${mostSnapshotBytes}`)
}

export function removeBlobs(ids: Iterable<string>, blobs: BlobStore): void {
  for (const id of ids) blobs.remove(id)
}
