import type { Thumbnail, UploadRecord } from '../storage/record-types.ts'
import type { ServiceParts } from './service-parts.ts'

export const noThumbnail: Thumbnail = { state: 'none' }

/** Abort reason: the upload should have no thumbnail. After any other abort the thumbnail is pending again. */
export const thumbnailUnwanted = new Error('The upload is to have no thumbnail')

/** A stored file, before or after it becomes an upload. */
export type StoredFile = Pick<UploadRecord, 'blobId' | 'mimeType' | 'sizeBytes'>

interface MakingOptions {
  readonly signal: AbortSignal
  /** A JPEG to use if the file yields none. */
  readonly fallback?: Uint8Array
}

/** Creates and stores thumbnails. */
export function createThumbnailFiles({
  records,
  blobs,
  makeThumbnail,
}: Pick<ServiceParts, 'records' | 'blobs' | 'makeThumbnail'>) {
  const pictureOf = async ({ blobId, mimeType, sizeBytes }: StoredFile, signal: AbortSignal) => {
    if (blobId === null) return undefined
    const source = { mimeType, sizeBytes, read: () => blobs.read(blobId), path: () => blobs.path(blobId) }
    // A failure costs only the thumbnail.
    return makeThumbnail(source, signal).catch(() => undefined)
  }

  const stillExists = ({ slug, id }: UploadRecord) => records.uploads.findBySlug(slug)?.id === id

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

  const discard = async ({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>) => {
    if (thumbnail.state === 'ready' && thumbnail.blobId !== blobId) blobs.remove(thumbnail.blobId)
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
    /**
     * Makes the thumbnail of a file that may become an upload.
     * @returns `none` if the file yields none or the signal aborts
     */
    create,
    /**
     * Makes an upload's thumbnail and writes the outcome into its record.
     * @returns undefined if the upload was deleted meanwhile or the signal aborted; its thumbnail is discarded then
     */
    async make(upload: UploadRecord, options: MakingOptions) {
      const { signal } = options
      const { slug, blobId } = upload
      // Written first, so that a file that crashes the process is not tried again by the next one.
      records.uploads.update(slug, { thumbnail: noThumbnail })
      const note = (thumbnail: Thumbnail) =>
        stillExists(upload) && signal.reason !== thumbnailUnwanted
          ? records.uploads.update(slug, { thumbnail })
          : undefined
      await records.flushed()
      const thumbnail = await create(upload, options).catch((error: unknown) => {
        note(upload.thumbnail)
        throw error
      })
      const updated = note(signal.aborted ? upload.thumbnail : thumbnail)
      if (updated?.thumbnail !== thumbnail) await discard({ blobId, thumbnail })
      return signal.aborted ? undefined : updated
    },
    /** Removes the thumbnail's bytes, unless they are the file's own. */
    discard,
  }
}

/** A grey JPEG of 16 by 12 pixels. */
export const placeholderThumbnail: Uint8Array = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAAMABABAREA' +
    '/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAAAAo//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8AH//Z',
  'base64',
)
