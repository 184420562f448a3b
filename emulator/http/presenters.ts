import { acceptedMediaType } from '../../src/protocol/media-types.ts'
import type { Upload } from '../../src/protocol/resources.ts'
import type { UploadRecord } from '../storage/record-store.ts'
import { offsetDateTime } from './offset-date-time.ts'

/** What an upload's wire form depends on beside the upload. */
export interface PresentationContext {
  /** Without a slash at the end. */
  readonly siteUrl: string
  /** An IANA name. */
  readonly timezone: string
}

/** The upload object, its fields in the order of the spec (spec 2.1). */
export function presentUpload(upload: UploadRecord, { siteUrl, timezone }: PresentationContext): Upload {
  const url = `${siteUrl}/i/${upload.slug}`
  const extension = acceptedMediaType(upload.mimeType)?.extension
  return {
    slug: upload.slug,
    title: upload.title,
    url,
    direct_url: extension === undefined ? url : `${url}.${extension}`,
    // No thumbnails are made, which is legal for ever (spec 2.1).
    thumb_url: null,
    mime_type: upload.mimeType,
    size: upload.sizeBytes,
    views: upload.views,
    likes: upload.likes,
    created_at: offsetDateTime(upload.createdAt, timezone),
  }
}
