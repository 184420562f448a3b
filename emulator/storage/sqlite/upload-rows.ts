import type { UploadRecord } from '../records.ts'
import type { SqlRow, SqlValue } from './sql-database.ts'

/** In the order of {@link uploadRow}. */
export const uploadColumns = 'id, slug, account_id, created_at, blob_id, thumbnail_blob_id, thumbnail_due_at, rest'

export function uploadRow(upload: UploadRecord): readonly SqlValue[] {
  const { id, slug, accountId, createdAt, blobId, ...rest } = upload
  return [id, slug, accountId, createdAt, blobId, ...thumbnailColumns(upload), JSON.stringify(rest)]
}

/** The columns that can change: thumbnail_blob_id, thumbnail_due_at, rest. */
export function changingColumns(upload: UploadRecord): readonly SqlValue[] {
  return uploadRow(upload).slice(-3)
}

export function parseUploadRow(row: SqlRow): UploadRecord {
  const { id, slug, account_id: accountId, created_at: createdAt, blob_id: blobId } = row
  return { id, slug, accountId, createdAt, blobId, ...JSON.parse(String(row['rest'])) }
}

/** Separate columns, since every start searches for unused blobs and due thumbnails. */
function thumbnailColumns({ thumbnail }: UploadRecord): readonly SqlValue[] {
  return [thumbnail.state === 'ready' ? thumbnail.blobId : null, thumbnail.state === 'pending' ? thumbnail.dueAt : null]
}
