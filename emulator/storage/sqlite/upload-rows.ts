import type { UploadRecord } from '../record-store.ts'
import type { SqlRow, SqlValue } from './sql-database.ts'

/** The columns of an upload, in the order of {@link uploadRow}. */
export const uploadColumns = 'id, slug, account_id, created_at, blob_id, thumbnail_blob_id, thumbnail_due_at, rest'

/** The values of an upload's columns. */
export function uploadRow(upload: UploadRecord): readonly SqlValue[] {
  const { id, slug, accountId, createdAt, blobId, ...rest } = upload
  return [id, slug, accountId, createdAt, blobId, ...thumbnailColumns(upload), JSON.stringify(rest)]
}

/** The values of the columns that may change: thumbnail_blob_id, thumbnail_due_at, rest. */
export function changingColumns(upload: UploadRecord): readonly SqlValue[] {
  return uploadRow(upload).slice(-3)
}

export function parseUploadRow(row: SqlRow): UploadRecord {
  const { id, slug, account_id: accountId, created_at: createdAt, blob_id: blobId } = row
  return { id, slug, accountId, createdAt, blobId, ...JSON.parse(String(row['rest'])) }
}

/** Columns of their own, for bytes nobody refers to and thumbnails that are due are looked for at every start. */
function thumbnailColumns({ thumbnail }: UploadRecord): readonly SqlValue[] {
  return [thumbnail.state === 'ready' ? thumbnail.blobId : null, thumbnail.state === 'pending' ? thumbnail.dueAt : null]
}
