import type { BlobStore, ByteRange } from '../storage/blob-store.ts'
import type { RecordStore, UploadRecord } from '../storage/record-store.ts'
import { syntheticBytes } from './synthetic-file.ts'

/** What anybody may see of an upload who knows its slug: the site asks nobody for a key. */
export interface Visits {
  find(slug: string): UploadRecord | undefined
  /**
   * One more has seen it (spec 2.1).
   * @returns the upload as it is then
   */
  count(upload: UploadRecord): UploadRecord
  /** Bytes of the file, within its size. */
  read(upload: UploadRecord, range: ByteRange): AsyncIterable<Uint8Array>
  /** Bytes of a thumbnail, within its size. */
  readThumbnail(blobId: string, range: ByteRange): AsyncIterable<Uint8Array>
}

interface VisitsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
}

export function createVisits({ records: { uploads }, blobs }: VisitsContext): Visits {
  return {
    find: (slug) => uploads.findBySlug(slug),
    count: (upload) => uploads.update(upload.slug, { views: upload.views + 1 }) ?? upload,
    read: ({ blobId, mimeType }, range) =>
      blobId === null ? syntheticBytes(mimeType, range) : blobs.read(blobId, range),
    readThumbnail: (blobId, range) => blobs.read(blobId, range),
  }
}
