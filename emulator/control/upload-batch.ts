import type { SyntheticUploads } from '../service/synthetic-uploads.ts'
import { type FieldTypes, readFields } from '../values/fields.ts'
import { isUsableInstant } from '../values/instant.ts'
import { instant, mimeType, valueType, wholeNumber } from '../values/value-type.ts'

/** Synthetic uploads: listed and counted, but without bytes. */
export interface UploadBatch {
  /** 1 to 1,000,000. */
  readonly count: number
  /** Default: `image/jpeg`. */
  readonly mime_type?: string
  /** Bytes of each. Default: 1,024. */
  readonly size?: number
  /** When the oldest was uploaded, ISO 8601. Default: such that the newest is uploaded now. */
  readonly created_at?: string
  /** Time between one upload and the next. Default: 0. */
  readonly interval_seconds?: number
}

export interface AddedUploads {
  readonly created: number
  /** The slugs of the oldest 1,000, the oldest first. */
  readonly slugs: readonly string[]
}

const mostUploads = 1_000_000
const maxSlugs = 1_000

export const batchFields = {
  count: wholeNumber({ from: 1, to: mostUploads }),
  mime_type: mimeType,
  size: wholeNumber({ of: 'bytes', from: 1 }),
  created_at: instant,
  interval_seconds: valueType<number>('a number of seconds from zero up', { type: 'number', minimum: 0 }),
} satisfies FieldTypes<UploadBatch>

/**
 * @param now epoch milliseconds
 * @throws TypeError saying what a field takes
 */
export function parseUploadBatch(batch: UploadBatch, now: number): SyntheticUploads {
  const { count, mime_type, size, created_at, interval_seconds = 0 } = readFields(batch, batchFields)
  if (count === undefined) throw new TypeError(`The field count is missing; it takes ${batchFields.count.accepts}`)
  const intervalMs = interval_seconds * 1_000
  const spanMs = (count - 1) * intervalMs
  const firstCreatedAt = created_at ?? now - spanMs
  if (!isUsableInstant(firstCreatedAt) || !isUsableInstant(firstCreatedAt + spanMs)) {
    throw new TypeError(
      'The field interval_seconds is too large: the date of every upload has to be in the years 1 to 9998',
    )
  }
  return {
    count,
    mimeType: mime_type ?? 'image/jpeg',
    sizeBytes: size ?? 1_024,
    firstCreatedAt,
    intervalMs,
    maxSlugs,
  }
}
