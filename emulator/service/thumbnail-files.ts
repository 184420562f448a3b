import type { BlobStore } from '../storage/blob-store.ts'
import type { RecordStore, Thumbnail, UploadRecord } from '../storage/record-store.ts'
import { placeholderThumbnail } from './placeholder-thumbnail.ts'
import type { ThumbnailMaker } from './thumbnail-maker.ts'

export const noThumbnail: Thumbnail = { state: 'none' }

/** Why the making of a thumbnail is aborted where there is to be none; after any other abort it is pending again. */
export const notWanted = new Error('The upload is to have no thumbnail')

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
  /** Removes the bytes of an upload's thumbnail, where they are not those of the file. */
  discard(upload: Pick<UploadRecord, 'blobId' | 'thumbnail'>): Promise<void>
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

  const isThere = ({ slug, id }: UploadRecord) => records.uploads.findBySlug(slug)?.id === id

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

  const discard: ThumbnailFiles['discard'] = async ({ blobId, thumbnail }) => {
    if (thumbnail.state === 'ready' && thumbnail.blobId !== blobId) await blobs.remove(thumbnail.blobId)
  }

  const create = async (file: StoredFile, { signal, fallback }: MakingOptions): Promise<Thumbnail> => {
    const picture = (await pictureOf(file, signal)) ?? fallback
    if (picture === undefined || signal.aborted) return noThumbnail
    if (picture === 'placeholder') return store(placeholderThumbnail)
    if (picture !== 'itself') return store(picture)
    const { blobId, mimeType, sizeBytes } = file
    return blobId === null ? noThumbnail : { state: 'ready', blobId, mimeType, sizeBytes }
  }

  return {
    create,
    async make(upload, options) {
      const { signal } = options
      const { slug, blobId } = upload
      // What ends the process while it is looked at would end the next one too: it is not looked at twice.
      records.uploads.update(slug, { thumbnail: noThumbnail })
      const note = (thumbnail: Thumbnail) =>
        isThere(upload) && signal.reason !== notWanted ? records.uploads.update(slug, { thumbnail }) : undefined
      await records.settled()
      const thumbnail = await create(upload, options).catch((error: unknown) => {
        note(upload.thumbnail)
        throw error
      })
      const updated = note(signal.aborted ? upload.thumbnail : thumbnail)
      if (updated?.thumbnail !== thumbnail) await discard({ blobId, thumbnail })
      return signal.aborted ? undefined : updated
    },
    discard,
  }
}
