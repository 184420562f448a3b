import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

interface Age {
  readonly createdAt: number
  readonly id: number
}

/** An upload, and how many of its account are older. */
interface Mark extends Age {
  place: number
}

/** So many from either end are skipped by the database, which takes less than a millisecond. */
const marksApart = 1_000

const beforeAll: Mark = { createdAt: Number.MIN_SAFE_INTEGER, id: 0, place: 0 }

const columns = 'id, slug, account_id, created_at, blob_id, rest'

/** From an upload on. Of a condition on instant and id together, SQLite looks up the instant alone. */
const following = `SELECT created_at, id FROM uploads WHERE account_id = ? AND created_at = ? AND id >= ?
  UNION ALL SELECT created_at, id FROM uploads WHERE account_id = ? AND created_at > ?
  ORDER BY created_at, id LIMIT ? OFFSET ?`

const from = (accountId: number, { createdAt, id }: Age) => [accountId, createdAt, id, accountId, createdAt]

/**
 * Where in an account's uploads a page begins. SQLite walks to an offset, a million steps to the last: of an account that
 * is asked so far back, every thousandth upload is remembered with its place, found in one walk and kept up to date.
 */
export class Places {
  readonly #marks = new Map<number, Mark[]>()
  readonly #newest
  readonly #after
  readonly #next

  constructor(database: DatabaseSync) {
    this.#newest = database.prepare(`SELECT ${columns} FROM uploads WHERE account_id = ?
      ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`)
    this.#after = database.prepare(`SELECT ${columns} FROM uploads WHERE id IN (SELECT id FROM (${following}))
      ORDER BY created_at DESC, id DESC`)
    this.#next = database.prepare(following)
  }

  /** The rows of a page, newest first. @param total how many uploads the account has */
  page(
    accountId: number,
    { offset, limit, total }: { readonly offset: number; readonly limit: number; readonly total: number },
  ): Record<string, SQLOutputValue>[] {
    if (offset <= marksApart) return this.#newest.all(accountId, limit, offset)
    const count = Math.max(Math.min(limit, total - offset), 0)
    const place = total - offset - count
    const mark = this.#marksOf(accountId, total).findLast((one) => one.place <= place) ?? beforeAll
    return this.#after.all(...from(accountId, mark), count, place - mark.place)
  }

  #marksOf(accountId: number, total: number): readonly Mark[] {
    const known = this.#marks.get(accountId)
    const isRecent = total - (known?.at(-1)?.place ?? 0) < 5 * marksApart
    if (known !== undefined && isRecent) return known
    const marks: Mark[] = []
    let last: Age = beforeAll
    for (let place = marksApart; ; place += marksApart) {
      const row = this.#next.get(...from(accountId, last), 1, marksApart)
      if (row === undefined) break
      last = { createdAt: Number(row['created_at']), id: Number(row['id']) }
      marks.push({ ...last, place })
    }
    this.#marks.set(accountId, marks)
    return marks
  }

  /** Call for each upload that was added or removed. Nearly every one is its account's newest, behind all marks. */
  moved(accountId: number, { createdAt, id }: Age, by: 1 | -1): void {
    const marks = this.#marks.get(accountId) ?? []
    for (let at = marks.length - 1; at >= 0; at -= 1) {
      const mark = marks[at]
      if (mark === undefined || mark.createdAt < createdAt || (mark.createdAt === createdAt && mark.id < id)) return
      if (mark.id === id) return void this.#marks.delete(accountId)
      mark.place += by
    }
  }

  /** Call when uploads were changed from elsewhere. */
  forget(): void {
    this.#marks.clear()
  }
}
