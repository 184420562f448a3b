import type { BlobStore, ByteRange } from '../storage/blob-store.ts'
import type { RecordStore, UploadRecord } from '../storage/record-store.ts'
import { syntheticBytes } from './synthetic-file.ts'

/** What anybody may see of an upload who knows its slug: the site asks nobody for a key. */
export interface Visits {
  find(slug: string): UploadRecord | undefined
  /**
   * Counts one more view (spec 2.1), of the file itself or of a page that shows it.
   * @returns the upload as it is then
   */
  count(upload: UploadRecord, seen: 'file' | 'page'): UploadRecord
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
    count(upload, seen) {
      const { slug, views, indirectViews = 0 } = upload
      const counted = { views: views + 1, ...(seen === 'page' && { indirectViews: indirectViews + 1 }) }
      return uploads.update(slug, counted) ?? upload
    },
    read: ({ blobId, mimeType }, range) =>
      blobId === null ? syntheticBytes(mimeType, range) : blobs.read(blobId, range),
    readThumbnail: (blobId, range) => blobs.read(blobId, range),
  }
}
