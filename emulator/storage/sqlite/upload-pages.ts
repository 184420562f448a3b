import type { MapRecords } from '../map-records.ts'
import type { Age } from '../record-store.ts'
import type { UploadRecord } from '../records.ts'
import type { SqlDatabase, SqlRow } from './sql-database.ts'
import { createUploadMarks, markDistance, type UploadMarks } from './upload-marks.ts'
import { parseUploadRow, uploadColumns } from './upload-rows.ts'

const inOrder = 'FROM uploads WHERE account_id = ? AND (created_at, id) >= (?, ?) ORDER BY created_at, id'

/** Of the index alone, which may be damaged: then they need not be numbers. */
const ageColumns = 'CAST(created_at AS REAL) AS instant, CAST(id AS INTEGER) AS number'

/** Parameters: account, instant and id of the mark, number of uploads, how many to skip. */
export const pageQuery = `SELECT ${uploadColumns} ${inOrder} LIMIT ? OFFSET ?`

/** Reads ranges of an account's uploads; the marks are created when an account's first page is read. */
export function createUploadPages(database: SqlDatabase, totals: MapRecords['uploadTotals']) {
  const fromAge = database.prepare(pageQuery)
  const ageAfter = database.prepare(`SELECT ${ageColumns} ${inOrder} LIMIT 1 OFFSET ?`)
  const newestAge = database.prepare(
    `SELECT ${ageColumns} FROM uploads WHERE account_id = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
  )
  const ofAccount = database.prepare(
    `SELECT ${uploadColumns} FROM uploads WHERE account_id = ? ORDER BY created_at, id`,
  )
  const marked = new Map<number, UploadMarks>()

  /** One step per mark, using only the index. */
  const findAges = (accountId: number): readonly Age[] => {
    const ages: Age[] = []
    let row = ageAfter.get(accountId, -8.64e15, 0, 0)
    while (row !== undefined) {
      const age = ageOf(row)
      ages.push(age)
      row = ageAfter.get(accountId, age.createdAt, age.id, markDistance)
    }
    return ages
  }

  const marksOf = (accountId: number): UploadMarks => {
    const known = marked.get(accountId)
    if (known !== undefined && !known.isWorn()) return known
    const last = newestAge.get(accountId)
    const marks = createUploadMarks(totals.of(accountId).uploads, findAges(accountId), last && ageOf(last))
    marked.set(accountId, marks)
    return marks
  }

  return {
    /** Newest first. */
    newest(accountId: number, { offset, limit }: { readonly offset: number; readonly limit: number }) {
      const end = totals.of(accountId).uploads - offset
      if (end <= 0) return []
      const start = Math.max(end - limit, 0)
      const { from, skip } = marksOf(accountId).find(start)
      return fromAge
        .all(accountId, from.createdAt, from.id, end - start, skip)
        .map(parseUploadRow)
        .reverse()
    },
    /** Oldest first. */
    oldest: (accountId: number) => ofAccount.all(accountId).map(parseUploadRow),
    /** Call after the totals have counted it. */
    added: (upload: UploadRecord) => marked.get(upload.accountId)?.added(upload),
    removed: (upload: UploadRecord) => marked.get(upload.accountId)?.removed(upload),
    forget: (accountId: number) => void marked.delete(accountId),
    forgetAll: () => marked.clear(),
  }
}

function ageOf({ instant, number }: SqlRow): Age {
  return { createdAt: Number(instant), id: Number(number) }
}
