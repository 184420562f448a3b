import { noCounts, type RecordStore, type UploadRecord } from '../storage/record-store.ts'
import { MissingRecordError } from './refusal.ts'

/** A batch of uploads without stored bytes, to fill long lists. */
export interface SyntheticUploads {
  readonly count: number
  /** A media type that the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** The oldest upload's; epoch milliseconds. */
  readonly firstCreatedAt: number
  /** Between one upload and the next. */
  readonly intervalMs: number
  /** How many of their slugs to return. */
  readonly maxSlugs: number
}

interface SyntheticUploadsContext {
  readonly records: RecordStore
  newSlug(): string
}

/**
 * Adds a batch of synthetic uploads to an account.
 * @returns the first `maxSlugs` slugs, oldest first
 * @throws MissingRecordError if the account does not exist
 */
export function addSyntheticUploads(
  { records: { accounts, uploads }, newSlug }: SyntheticUploadsContext,
  accountId: number,
  batch: SyntheticUploads,
): readonly string[] {
  if (accounts.get(accountId) === undefined) throw new MissingRecordError('account', accountId)
  const slugs: string[] = []
  const freeSlug = () => {
    let slug = newSlug()
    while (uploads.findBySlug(slug) !== undefined) slug = newSlug()
    if (slugs.length < batch.maxSlugs) slugs.push(slug)
    return slug
  }
  uploads.insertAll(synthesize(accountId, batch, freeSlug))
  return slugs
}

function* synthesize(
  accountId: number,
  { count, mimeType, sizeBytes, firstCreatedAt, intervalMs }: SyntheticUploads,
  nextSlug: () => string,
): Generator<Omit<UploadRecord, 'id'>> {
  const thumbnail = { state: 'none' } as const
  for (let index = 0; index < count; index += 1) {
    yield {
      slug: nextSlug(),
      accountId,
      blobId: null,
      thumbnail,
      title: null,
      mimeType,
      sizeBytes,
      ...noCounts,
      createdAt: firstCreatedAt + index * intervalMs,
    }
  }
}
