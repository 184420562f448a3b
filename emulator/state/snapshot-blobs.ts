import { hash } from 'node:crypto'
import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, UploadRecord } from '../storage/record-store.ts'
import { SnapshotError } from './codec.ts'

/** What the files in a snapshot may weigh together: in base64 and with as much around it, it is still one text. */
export const mostSnapshotBytes = 134_217_728

/** The bytes that uploads refer to, and the uploads referring to them by their digest. */
export interface CollectedBlobs {
  readonly uploads: readonly UploadRecord[]
  readonly blobs: ReadonlyMap<string, Buffer>
}

/**
 * Reads the bytes of uploads; one that is deleted meanwhile is left out.
 * @throws SnapshotError where they are more than a snapshot can carry
 */
export async function collectBlobs(
  uploads: readonly UploadRecord[],
  { records, blobs }: { readonly records: RecordStore; readonly blobs: BlobStore },
): Promise<CollectedBlobs> {
  refuseTooMuch(uploads)
  const collected = new Map<string, Buffer>()
  const digests = new Map<string, string>()
  const collect = async (blobId: string) => {
    const bytes = await readAll(blobs.read(blobId))
    const digest = hash('sha256', bytes)
    digests.set(blobId, digest)
    collected.set(digest, bytes)
  }
  const isGone = ({ slug, id }: UploadRecord) => records.uploads.findBySlug(slug)?.id !== id

  const kept: UploadRecord[] = []
  for (const upload of uploads) {
    try {
      for (const blobId of blobIdsOf(upload)) await collect(blobId)
      kept.push(withBlobIds(upload, (blobId) => digests.get(blobId) ?? blobId))
    } catch (error) {
      if (!isGone(upload)) throw error
    }
  }
  return { uploads: kept, blobs: collected }
}

/**
 * Stores the bytes that uploads refer to by digest; every upload gets blobs of its own, for it takes them along when
 * it is deleted.
 * @throws SnapshotError where bytes are missing, not those that were referred to, or not as many as their record says;
 * what was stored is removed again
 */
export async function storeBlobs({ uploads, blobs: found }: CollectedBlobs, blobs: BlobStore): Promise<UploadRecord[]> {
  const stored: string[] = []
  const store = async ({ owner, blobId: digest, sizeBytes }: ReferredFile) => {
    const bytes = found.get(digest)
    if (bytes === undefined) throw new SnapshotError(`The snapshot lacks the blob ${digest}`)
    if (hash('sha256', bytes) !== digest) throw new SnapshotError(`The snapshot's blob ${digest} is not what it was`)
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
    await removeAll(stored, blobs)
    throw error
  }
}

/** Removes the bytes of uploads that are no more. */
export async function removeBlobsOf(uploads: readonly UploadRecord[], blobs: BlobStore): Promise<void> {
  await removeAll(uploads.flatMap(blobIdsOf), blobs)
}

/** What a record says of bytes it refers to. */
interface ReferredFile {
  /** Whose they are, to be read after "the snapshot's". */
  readonly owner: string
  readonly blobId: string
  readonly sizeBytes: number
}

function filesOf({ slug, blobId, sizeBytes, thumbnail }: UploadRecord): readonly ReferredFile[] {
  const file = blobId === null ? [] : [{ owner: `upload ${slug}`, blobId, sizeBytes }]
  return thumbnail.state === 'ready' ? [...file, { ...thumbnail, owner: `thumbnail of upload ${slug}` }] : file
}

function blobIdsOf(upload: UploadRecord): readonly string[] {
  return filesOf(upload).map(({ blobId }) => blobId)
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

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read)
}

async function removeAll(ids: readonly string[], blobs: BlobStore): Promise<void> {
  await Promise.all(ids.map((id) => blobs.remove(id)))
}
