import { createHash } from 'node:crypto'
import type { BlobStore } from '../storage/blob-store.ts'
import type { UploadTable } from '../storage/map-uploads.ts'
import type { UploadRecord } from '../storage/records.ts'

/* Only unusual settings need these searches, so they scan instead of costing every request an index. */

/** An account's uploads, newest first; none may be added or removed during the iteration. */
export function* allUploads(uploads: UploadTable, accountId: number): Generator<UploadRecord> {
  const limit = 1_000
  for (let offset = 0; ; offset += limit) {
    const slice = uploads.newest(accountId, { offset, limit })
    yield* slice
    if (slice.length < limit) return
  }
}

/** The account's upload with this slug in any case. */
export function findInAnyCase(uploads: UploadTable, accountId: number, slug: string): UploadRecord | undefined {
  const folded = slug.toLowerCase()
  for (const upload of allUploads(uploads, accountId)) if (upload.slug.toLowerCase() === folded) return upload
  return undefined
}

/** How many of an account's uploads are newer than an instant in epoch milliseconds. */
export function countSince(uploads: UploadTable, accountId: number, instant: number): number {
  let count = 0
  for (const upload of allUploads(uploads, accountId)) {
    if (upload.createdAt <= instant) return count
    count += 1
  }
  return count
}

/** A stored file to compare. */
export interface FileContent {
  readonly blobId: string
  readonly mimeType: string
  readonly sizeBytes: number
}

/** The account's upload with the same bytes. */
export async function findDuplicate(
  { uploads, blobs }: { readonly uploads: UploadTable; readonly blobs: BlobStore },
  accountId: number,
  content: FileContent,
): Promise<UploadRecord | undefined> {
  const mayBeEqual = ({ mimeType, sizeBytes }: UploadRecord) =>
    mimeType === content.mimeType && sizeBytes === content.sizeBytes
  const candidates = [...allUploads(uploads, accountId)].filter(mayBeEqual)
  if (candidates.length === 0) return undefined
  const wanted = await digest(blobs, content.blobId)
  for (const { slug, blobId } of candidates) {
    // Another request may have deleted it meanwhile.
    const known = blobId === null ? undefined : await digest(blobs, blobId).catch(() => undefined)
    const upload = known === wanted ? uploads.findBySlug(slug) : undefined
    if (upload !== undefined) return upload
  }
  return undefined
}

async function digest(blobs: BlobStore, blobId: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const chunk of blobs.read(blobId)) sum.update(chunk)
  return sum.digest('hex')
}
