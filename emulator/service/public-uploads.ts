import type { ByteRange } from '../storage/blobs.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import { UnwrittenError } from '../storage/turn.ts'
import type { ServiceParts } from './service-parts.ts'
import { syntheticBytes } from './synthetic-uploads.ts'

export function createPublicUploads({ records: { uploads }, blobs }: Pick<ServiceParts, 'records' | 'blobs'>) {
  /** Fails if bytes are missing; the client, told the full length, would otherwise wait for them. */
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
      const problem = `The ${what} of the upload ${upload.slug} cannot be read: ${reason}`
      const isDeleted = uploads.findBySlug(upload.slug)?.id !== upload.id
      if (!isDeleted) process.stderr.write(`${problem}. Put the file back into the data folder, or delete the upload\n`)
      throw new Error(problem, { cause })
    }
  }

  return {
    find: (slug: string): UploadRecord | undefined => uploads.findBySlug(slug),
    /**
     * Counts one view (spec 2.1), of the file or of a page that shows it.
     * @returns the upload with the new count
     */
    countView(upload: UploadRecord, seen: 'file' | 'page'): UploadRecord {
      const { slug, views, indirectViews = 0 } = upload
      const counted = {
        views: incremented(views),
        ...(seen === 'page' && { indirectViews: incremented(indirectViews) }),
      }
      try {
        return uploads.update(slug, counted) ?? upload
      } catch (error) {
        // On a full disk the file is served without counting the view.
        if (error instanceof UnwrittenError) return upload
        throw error
      }
    },
    /**
     * Bytes of the file, within its size.
     * @throws Error, once iterated, if bytes are missing; also emits a warning
     */
    read(upload: UploadRecord, range: ByteRange): AsyncIterable<Uint8Array> {
      const { blobId, mimeType } = upload
      return blobId === null ? syntheticBytes(mimeType, range) : readAll(upload, 'file', blobId, range)
    },
    /** Like {@link PublicUploads.read}, for a thumbnail. */
    readThumbnail: (upload: UploadRecord, blobId: string, range: ByteRange): AsyncIterable<Uint8Array> =>
      readAll(upload, 'thumbnail', blobId, range),
  }
}

/** Uploads as the website serves them: by slug, without a key. */
export type PublicUploads = ReturnType<typeof createPublicUploads>

/** Stops at the largest exact integer, the most a snapshot accepts. */
function incremented(count: number): number {
  return Math.min(count + 1, Number.MAX_SAFE_INTEGER)
}
