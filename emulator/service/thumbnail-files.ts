import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, Thumbnail, UploadRecord } from '../storage/record-store.ts'
import type { ThumbnailMaker } from './thumbnail-maker.ts'

export const noThumbnail: Thumbnail = { state: 'none' }

/** The making and keeping of thumbnails, whenever that is. */
export interface ThumbnailFiles {
  /**
   * Makes the thumbnail of a file that may become an upload.
   * @returns none where none can be made of it or the signal aborted
   */
  create(file: StoredFile, options: MakingOptions): Promise<Thumbnail>
  /**
   * Makes an upload's thumbnail and notes in its record what became of it.
   * @returns undefined where the upload is gone by then or the signal aborted, and with it the thumbnail
   */
  make(upload: UploadRecord, options: MakingOptions): Promise<UploadRecord | undefined>
  /** Removes the bytes of a thumbnail that has some. */
  discard(thumbnail: Thumbnail): Promise<void>
}

/** What is known of a file before it is an upload. */
export type StoredFile = Pick<UploadRecord, 'blobId' | 'mimeType' | 'sizeBytes'>

export interface MakingOptions {
  readonly signal: AbortSignal
  /** A JPEG that serves where none can be made of the file. */
  readonly fallback?: Uint8Array
}

interface ThumbnailFilesContext {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly makeThumbnail: ThumbnailMaker
}

export function createThumbnailFiles({ records, blobs, makeThumbnail }: ThumbnailFilesContext): ThumbnailFiles {
  const pictureOf = async ({ blobId, mimeType, sizeBytes }: StoredFile, signal: AbortSignal) => {
    if (blobId === null) return undefined
    const source = { mimeType, sizeBytes, read: () => blobs.read(blobId), path: () => blobs.path(blobId) }
    // Whatever is wrong with a file, or with what looks at it, costs nothing but the thumbnail.
    return makeThumbnail(source, signal).catch(() => undefined)
  }

  const store = async (bytes: Uint8Array): Promise<Thumbnail> => {
    const writer = blobs.create()
    try {
      await writer.write(bytes)
      await writer.commit()
      return { state: 'ready', blobId: writer.id, mimeType: 'image/jpeg', sizeBytes: bytes.length }
    } catch (error) {
      await writer.discard()
      throw error
    }
  }

  const discard = async (thumbnail: Thumbnail) => {
    if (thumbnail.state === 'ready') await blobs.remove(thumbnail.blobId)
  }

  const create = async (file: StoredFile, { signal, fallback }: MakingOptions): Promise<Thumbnail> => {
    const bytes = (await pictureOf(file, signal)) ?? fallback
    return bytes === undefined || signal.aborted ? noThumbnail : store(bytes)
  }

  return {
    create,
    async make(upload, options) {
      const { signal } = options
      const thumbnail = await create(upload, options)
      const updated = signal.aborted ? undefined : records.uploads.update(upload.slug, { thumbnail })
      if (updated === undefined) await discard(thumbnail)
      return updated
    },
    discard,
  }
}
