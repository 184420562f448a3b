import type { RecordStore, UploadRecord } from '../storage/record-store.ts'
import { MissingRecordError } from './refusal.ts'

/** Uploads that have everything but bytes; made by the thousand where a list has to be long. */
export interface SyntheticUploads {
  readonly count: number
  /** One the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** Of the oldest one; epoch milliseconds. */
  readonly firstCreatedAt: number
  /** From each to the next. */
  readonly intervalMs: number
  /** How many of their slugs are to be told. */
  readonly mostSlugs: number
}

interface SyntheticUploadsContext {
  readonly records: RecordStore
  newSlug(): string
}

/**
 * Adds uploads to an account all at once.
 * @returns the first of their slugs, the oldest upload's first
 * @throws MissingRecordError where there is no such account
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
    if (slugs.length < batch.mostSlugs) slugs.push(slug)
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
      views: 0,
      likes: 0,
      createdAt: firstCreatedAt + index * intervalMs,
    }
  }
}
