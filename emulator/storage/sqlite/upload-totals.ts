import { directViews, type UploadRecord, type UploadTotals } from '../record-store.ts'
import type { Commits } from './commits.ts'
import type { SqlDatabase } from './sql-database.ts'

/** The totals of each account's uploads: kept in memory, written with the commit that changes them. */
export interface StoredTotals {
  of(accountId: number): UploadTotals
  /** Within a write. */
  add(upload: UploadRecord, times: 1 | -1): void
  clear(): void
}

const nothing: UploadTotals = { uploads: 0, views: 0, bytes: 0 }

export function createStoredTotals(database: SqlDatabase, commits: Commits): StoredTotals {
  const put = database.prepare('REPLACE INTO upload_totals (account_id, totals) VALUES (?, ?)')
  const all = database.prepare('SELECT account_id, totals FROM upload_totals')
  const totals = new Map<number, UploadTotals>()
  const read = () => {
    totals.clear()
    for (const row of all.all()) totals.set(Number(row['account_id']), JSON.parse(String(row['totals'])))
  }
  read()
  const changed = new Set<number>()

  commits.onCommit(() => {
    for (const accountId of changed) put.run(accountId, JSON.stringify(totals.get(accountId) ?? nothing))
    changed.clear()
  })
  commits.onUndone(() => {
    changed.clear()
    read()
  })

  return {
    of: (accountId) => totals.get(accountId) ?? nothing,
    add(upload, times) {
      const { accountId, sizeBytes } = upload
      const before = totals.get(accountId) ?? nothing
      totals.set(accountId, {
        uploads: before.uploads + times,
        views: before.views + times * directViews(upload),
        bytes: before.bytes + times * sizeBytes,
      })
      changed.add(accountId)
    },
    clear() {
      for (const accountId of totals.keys()) changed.add(accountId)
      totals.clear()
    },
  }
}
