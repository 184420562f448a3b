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

const columns = 'id, slug, account_id, created_at, blob_id, rest'

/**
 * Where in an account's uploads a page begins. SQLite walks to an offset, a million steps to the last: of an account that
 * is asked so far back, every thousandth upload is remembered with its place, found in one walk and kept up to date.
 */
export class Places {
  readonly #marks = new Map<number, Mark[]>()
  readonly #newest
  readonly #oldest
  readonly #after
  readonly #next

  constructor(database: DatabaseSync) {
    const page = `SELECT ${columns} FROM uploads WHERE account_id = ?`
    this.#newest = database.prepare(`${page} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`)
    this.#oldest = database.prepare(`${page} ORDER BY created_at, id LIMIT ? OFFSET ?`)
    this.#after = database.prepare(`${page} AND (created_at, id) >= (?, ?) ORDER BY created_at, id LIMIT ? OFFSET ?`)
    this.#next =
      database.prepare(`SELECT created_at, id FROM uploads WHERE account_id = ? AND (created_at, id) >= (?, ?)
      ORDER BY created_at, id LIMIT 1 OFFSET ${marksApart}`)
  }

  /** The rows of a page, newest first. @param total how many uploads the account has */
  page(
    accountId: number,
    { offset, limit, total }: { readonly offset: number; readonly limit: number; readonly total: number },
  ): Record<string, SQLOutputValue>[] {
    if (offset >= total) return []
    if (offset <= marksApart) return this.#newest.all(accountId, limit, offset)
    const count = Math.min(limit, total - offset)
    const place = total - offset - count
    if (place <= marksApart) return this.#oldest.all(accountId, count, place).reverse()
    const mark = this.#marksOf(accountId, total).findLast((one) => one.place <= place)
    if (mark === undefined) return this.#oldest.all(accountId, count, place).reverse()
    return this.#after.all(accountId, mark.createdAt, mark.id, count, place - mark.place).reverse()
  }

  #marksOf(accountId: number, total: number): readonly Mark[] {
    const known = this.#marks.get(accountId)
    const isRecent = total - (known?.at(-1)?.place ?? 0) < 5 * marksApart
    if (known !== undefined && isRecent) return known
    const marks: Mark[] = []
    let last: Age = { createdAt: Number.MIN_SAFE_INTEGER, id: 0 }
    for (let place = marksApart; ; place += marksApart) {
      const row = this.#next.get(accountId, last.createdAt, last.id)
      if (row === undefined) break
      last = { createdAt: Number(row['created_at']), id: Number(row['id']) }
      marks.push({ ...last, place })
    }
    this.#marks.set(accountId, marks)
    return marks
  }

  added(accountId: number, added: Age): void {
    this.#shift(accountId, added, 1)
  }

  removed(accountId: number, removed: Age): void {
    const marks = this.#marks.get(accountId)
    if (marks?.some(({ id }) => id === removed.id)) this.#marks.delete(accountId)
    else this.#shift(accountId, removed, -1)
  }

  /** Nearly every upload is its account's newest, behind all marks. */
  #shift(accountId: number, { createdAt, id }: Age, by: 1 | -1): void {
    const marks = this.#marks.get(accountId)
    if (marks === undefined) return
    for (let at = marks.length - 1; at >= 0; at -= 1) {
      const mark = marks[at]
      if (mark === undefined || mark.createdAt < createdAt || (mark.createdAt === createdAt && mark.id < id)) return
      mark.place += by
    }
  }

  /** Call when uploads were changed from elsewhere. */
  forget(): void {
    this.#marks.clear()
  }
}
