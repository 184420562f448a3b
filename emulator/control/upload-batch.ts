import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { SyntheticUploads } from '../service/synthetic-uploads.ts'
import { isInstant, parseInstant } from '../values/instant.ts'
import { type PatchFields, parsePatch } from '../values/patch.ts'
import { isUsableInstant, usableInstants } from '../values/usable-instant.ts'

/** Uploads that nobody sent: they are listed and counted, but have no bytes. */
export interface UploadBatch {
  /** 1 to 1,000,000. */
  readonly count: number
  /** `image/jpeg` unless given. */
  readonly mime_type?: string
  /** Bytes of each; 1,024 unless given. */
  readonly size?: number
  /** When the oldest was uploaded, ISO 8601; unless given, such that the newest is uploaded now. */
  readonly created_at?: string
  /** From each to the next newer one; 0 unless given. */
  readonly interval_seconds?: number
}

/** What was added. */
export interface AddedUploads {
  readonly created: number
  /** The first 1,000 of them, the oldest first. */
  readonly slugs: readonly string[]
}

const mostUploads = 1_000_000
const mostSlugs = 1_000

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
      'The field interval_seconds leads out of time: every upload needs a date of the years 1 to 9998',
    )
  }
  return {
    count,
    mimeType: mime_type ?? 'image/jpeg',
    sizeBytes: size ?? 1_024,
    firstCreatedAt,
    intervalMs,
    mostSlugs,
  }
}

function isWholeFromOne(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1
}
