import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { SyntheticUploads } from '../service/synthetic-uploads.ts'
import { isInstant, isUsableInstant, parseInstant, usableInstants } from '../values/instant.ts'
import { type PatchFields, parsePatch } from '../values/patch.ts'

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

const fields: PatchFields<UploadBatch> = {
  count: {
    accepts: `a whole number from 1 to ${mostUploads}`,
    accept: (value): value is number => isWholeFromOne(value) && Number(value) <= mostUploads,
  },
  mime_type: {
    accepts: `one of ${mediaTypes.map(({ mimeType }) => mimeType).join(', ')}`,
    accept: (value): value is string => mediaTypes.some(({ mimeType }) => mimeType === value),
  },
  size: { accepts: 'a whole number of bytes from 1 up', accept: isWholeFromOne },
  created_at: { accepts: usableInstants, accept: isInstant },
  interval_seconds: {
    accepts: 'a number of seconds from zero up',
    accept: (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  },
}

/**
 * @param now epoch milliseconds
 * @throws TypeError saying what a field takes
 */
export function parseUploadBatch(batch: UploadBatch, now: number): SyntheticUploads {
  const { count, mime_type, size, created_at, interval_seconds = 0 } = parsePatch(batch, fields)
  if (count === undefined) throw new TypeError(`The field count is missing; it takes ${fields.count.accepts}`)
  const intervalMs = interval_seconds * 1_000
  const spanMs = (count - 1) * intervalMs
  const firstCreatedAt = created_at === undefined ? now - spanMs : parseInstant(created_at)
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

function isWholeFromOne(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}
