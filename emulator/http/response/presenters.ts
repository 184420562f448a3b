import { acceptedMediaType } from '../../../src/protocol/media-types.ts'
import type { Stats, Upload } from '../../../src/protocol/resources.ts'
import type { Settings } from '../../settings/settings.ts'
import type { UploadRecord } from '../../storage/record-types.ts'
import { offsetDateTime } from '../../values/offset-date-time.ts'
import { jsonText } from './reply.ts'

/** What an upload's JSON depends on besides the upload. */
export interface PresentationContext {
  /** Without a trailing slash. */
  readonly siteUrl: string
  readonly settings: Settings
}

/** The upload object, its fields in the order of the spec (spec 2.1). */
export function presentUpload(upload: UploadRecord, { siteUrl, settings }: PresentationContext): Upload {
  const url = `${siteUrl}/i/${upload.slug}`
  const extension = acceptedMediaType(upload.mimeType)?.extension
  const createdAt = offsetDateTime(upload.createdAt, settings.timezone, settings.created_at_format)
  return {
    slug: upload.slug,
    title: upload.title,
    url,
    direct_url: extension === undefined ? url : `${url}.${extension}`,
    thumb_url: upload.thumbnail.state === 'ready' ? `${siteUrl}/t/${upload.slug}` : null,
    mime_type: upload.mimeType,
    size: upload.sizeBytes,
    views: upload.views,
    likes: upload.likes,
    created_at: createdAt,
    ...(settings.extra_fields ? { id: upload.id, updated_at: createdAt, deleted_at: null } : undefined),
  }
}

/** Beyond these many uploads, what is remembered is forgotten. */
const mostWritten = 1_000

/** Writes uploads as JSON; one that has not changed, and is asked for again, is not written again. */
export function createUploadWriter() {
  const written = new Map<UploadRecord, PresentationContext & { readonly json: string }>()
  return (upload: UploadRecord, { siteUrl, settings }: PresentationContext): string => {
    const known = written.get(upload)
    if (known?.siteUrl === siteUrl && known.settings === settings) return known.json
    if (written.size >= mostWritten) written.clear()
    const json = jsonText(presentUpload(upload, { siteUrl, settings }), settings.json_style)
    written.set(upload, { siteUrl, settings, json })
    return json
  }
}

/** The statistics object; a database's sum may arrive as text (spec 2.3). */
export function presentStats(stats: Stats, { total_views_type, extra_fields }: Settings): object {
  if (total_views_type === 'integer' && !extra_fields) return stats
  return {
    ...stats,
    total_views: total_views_type === 'string' ? String(stats.total_views) : stats.total_views,
    ...(extra_fields ? { plan: 'free' } : undefined),
  }
}
