import { invalidValue } from '../../src/checks/coded-error.ts'
import type { SyntheticUploads } from '../service/synthetic-uploads.ts'
import type { JsonFieldsOf } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { instant, isUsableInstant, mimeType, numberWithin, wholeNumber } from '../values/value-type.ts'

/** Synthetic uploads: listed and counted, but without bytes. */
export interface UploadBatch extends Partial<JsonFieldsOf<Omit<typeof batchFields, 'count'>>> {
  /** 1 to 1,000,000. */
  readonly count: number
}

export interface AddedUploads {
  readonly created: number
  /** The slugs of the oldest 1,000, the oldest first. */
  readonly slugs: readonly string[]
}

const maxSlugs = 1_000

export const batchFields = {
  count: wholeNumber({ from: 1, to: 1_000_000 }),
  /** Default: `image/jpeg`. */
  mimeType,
  /** Bytes of each. Default: 1,024. */
  size: wholeNumber({ of: 'bytes', from: 1 }),
  /** When the oldest was uploaded, ISO 8601. Default: such that the newest is uploaded now. */
  createdAt: instant,
  /** Time between one upload and the next. Default: 0. */
  intervalSeconds: numberWithin('a number of seconds from zero up', { from: 0 }),
}

/**
 * @param now epoch milliseconds
 * @throws TypeError saying what a field takes
 */
export function parseUploadBatch(batch: UploadBatch, now: number): SyntheticUploads {
  const {
    count = 1,
    mimeType = 'image/jpeg',
    size = 1_024,
    createdAt,
    intervalSeconds = 0,
  } = readFields(batch, batchFields, ['count'])
  const intervalMs = intervalSeconds * 1_000
  const spanMs = (count - 1) * intervalMs
  const firstCreatedAt = createdAt ?? now - spanMs
  if (!isUsableInstant(firstCreatedAt) || !isUsableInstant(firstCreatedAt + spanMs)) {
    throw invalidValue(
      'The field interval_seconds is too large: the date of every upload has to be in the years 1 to 9998',
    )
  }
  return { count, mimeType, sizeBytes: size, firstCreatedAt, intervalMs, maxSlugs }
}
