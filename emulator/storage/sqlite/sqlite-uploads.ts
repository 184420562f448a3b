import type { MapRecords } from '../map-records.ts'
import type { RestorableUploads } from '../record-store.ts'
import type { UploadRecord } from '../records.ts'
import type { SqliteContext } from './stored-map.ts'
import { createUploadPages } from './upload-pages.ts'
import { changingColumns, parseUploadRow, uploadColumns, uploadRow } from './upload-rows.ts'

/** Parameters: an instant, number of uploads. */
export const latestQuery = `SELECT ${uploadColumns} FROM uploads WHERE created_at <= ? ORDER BY created_at DESC, id DESC LIMIT ?`

/** Uploads in the database: a page costs the same at any depth, and totals are kept up to date. */
export function createSqliteUploads(
  { database, commits }: SqliteContext,
  { uploadTotals: totals, nextUploadId }: Pick<MapRecords, 'uploadTotals' | 'nextUploadId'>,
): RestorableUploads {
  const pages = createUploadPages(database, totals)
  commits.onUndone(pages.forgetAll)
  const insertRow = database.prepare(`INSERT INTO uploads (${uploadColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const updateRow = database.prepare(
    'UPDATE uploads SET thumbnail_blob_id = ?, thumbnail_due_at = ?, rest = ? WHERE id = ?',
  )
  const deleteRow = database.prepare('DELETE FROM uploads WHERE id = ?')
  const deleteOfAccount = database.prepare('DELETE FROM uploads WHERE account_id = ?')
  const bySlug = database.prepare(`SELECT ${uploadColumns} FROM uploads WHERE slug = ?`)
  const due = database.prepare(`SELECT ${uploadColumns} FROM uploads WHERE thumbnail_due_at IS NOT NULL`)
  const newestOfAll = database.prepare(latestQuery)
  const allById = database.prepare(`SELECT ${uploadColumns} FROM uploads ORDER BY id`)

  const findBySlug = (slug: string): UploadRecord | undefined => {
    const row = bySlug.get(slug)
    return row && parseUploadRow(row)
  }
  const count = (upload: UploadRecord) => {
    totals.add(upload, 1)
    pages.added(upload)
  }

  return {
    insert: (upload) =>
      commits.write('lasting', () => {
        if (bySlug.get(upload.slug) !== undefined) return undefined
        const record = { ...upload, id: nextUploadId() }
        insertRow.run(...uploadRow(record))
        count(record)
        return record
      }),
    insertAll(uploads) {
      commits.write('ordinary', () => {
        const records = Array.from(uploads, (upload) => ({ ...upload, id: nextUploadId() }))
        for (const record of records) insertRow.run(...uploadRow(record))
        for (const record of records) count(record)
      })
    },
    findBySlug,
    awaitingThumbnail: () => due.all().map(parseUploadRow),
    newest: pages.newest,
    latest: ({ until, limit }) => newestOfAll.all(until, limit).map(parseUploadRow),
    totals: totals.of,
    update(slug, changes) {
      const old = findBySlug(slug)
      if (old === undefined) return undefined
      const record = { ...old, ...changes }
      return commits.write('ordinary', () => {
        updateRow.run(...changingColumns(record), record.id)
        totals.add(old, -1)
        totals.add(record, 1)
        return record
      })
    },
    remove(slug) {
      const record = findBySlug(slug)
      if (record === undefined) return undefined
      return commits.write('freeing', () => {
        deleteRow.run(record.id)
        totals.add(record, -1)
        pages.removed(record)
        return record
      })
    },
    removeAll: (accountId) =>
      commits.write('freeing', () => {
        const uploads = pages.oldest(accountId)
        deleteOfAccount.run(accountId)
        totals.forget(accountId)
        pages.forget(accountId)
        return uploads
      }),
    all: () => allById.all().map(parseUploadRow),
    load(uploads) {
      commits.write('freeing', () => {
        database.run('DELETE FROM uploads')
        for (const upload of uploads) insertRow.run(...uploadRow(upload))
        commits.afterwards(() => {
          totals.clear()
          pages.forgetAll()
          for (const upload of uploads) count(upload)
        })
      })
    },
  }
}
