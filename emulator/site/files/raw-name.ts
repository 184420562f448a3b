import { acceptedMediaType, type MediaType } from '../../../src/protocol/media-types.ts'
import type { UploadRecord } from '../../storage/record-types.ts'

/** Marks requests of a page for its own picture: the page view is already counted. */
export const previewParameter = 'preview'

export function mediaTypeOf(upload: UploadRecord): MediaType | undefined {
  return acceptedMediaType(upload.mimeType)
}

/** The last part of an upload's `direct_url` (spec 2.1). */
export function rawName(upload: UploadRecord): string {
  const extension = mediaTypeOf(upload)?.extension
  return extension === undefined ? upload.slug : `${upload.slug}.${extension}`
}
