import type { BlobStore, ByteRange } from '../storage/blob-store.ts'
import type { RecordStore, UploadRecord } from '../storage/record-store.ts'
import { UnwrittenError } from '../storage/unwritten.ts'
import { syntheticBytes } from './synthetic-file.ts'

/** What anybody may see of an upload who knows its slug: the site asks nobody for a key. */
export interface Visits {
  find(slug: string): UploadRecord | undefined
  /**
   * Counts one more view (spec 2.1), of the file itself or of a page that shows it.
   * @returns the upload as it is then
   */
  count(upload: UploadRecord, seen: 'file' | 'page'): UploadRecord
  /**
   * Bytes of the file, within its size.
   * @throws Error, once iterated, where fewer are there, of which a warning tells as well
   */
  read(upload: UploadRecord, range: ByteRange): AsyncIterable<Uint8Array>
  /** As {@link Visits.read}, of a thumbnail. */
  readThumbnail(upload: UploadRecord, blobId: string, range: ByteRange): AsyncIterable<Uint8Array>
}

interface VisitsContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
}

export function createVisits({ records: { uploads }, blobs }: VisitsContext): Visits {
  /** What is missing would otherwise be waited for by a client that was told how much there is. */
  const readAll = async function* (upload: UploadRecord, what: string, blobId: string, range: ByteRange) {
    let left = range.end - range.start + 1
    try {
      for await (const chunk of blobs.read(blobId, range)) {
        left -= chunk.length
        yield chunk
      }
      if (left > 0) throw new Error(`${left} bytes of it are missing`)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : cause
      const error = new Error(`The ${what} of the upload ${upload.slug} cannot be read: ${reason}`, { cause })
      const isDeleted = uploads.findBySlug(upload.slug)?.id !== upload.id
      if (!isDeleted) process.emitWarning(error)
      throw error
    }
  }

  return {
    find: (slug) => uploads.findBySlug(slug),
    count(upload, seen) {
      const { slug, views, indirectViews = 0 } = upload
      const counted = { views: oneMore(views), ...(seen === 'page' && { indirectViews: oneMore(indirectViews) }) }
      try {
        return uploads.update(slug, counted) ?? upload
      } catch (error) {
        // On a full disk reading goes on, and a view is not worth refusing it.
        if (error instanceof UnwrittenError) return upload
        throw error
      }
    },
    read(upload, range) {
      const { blobId, mimeType } = upload
      return blobId === null ? syntheticBytes(mimeType, range) : readAll(upload, 'file', blobId, range)
    },
    readThumbnail: (upload, blobId, range) => readAll(upload, 'thumbnail', blobId, range),
  }
}

/** Beyond the largest exact number there is none that a snapshot takes. */
function oneMore(count: number): number {
  return Math.min(count + 1, Number.MAX_SAFE_INTEGER)
}
