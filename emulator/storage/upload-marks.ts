import type { UploadRecord } from './record-types.ts'
import type { Database, Row } from './turn.ts'

type Age = Pick<UploadRecord, 'accountId' | 'createdAt' | 'id'>

/** From an upload on. Of a condition on instant and id together, SQLite looks up the instant alone. */
const following = (what: string) => `SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt = ? AND id >= ?
  UNION ALL SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt > ? ORDER BY createdAt, id LIMIT ? OFFSET ?`

/** So many uploads are skipped by the database, which takes some microseconds. */
export const MARKS_APART = 256

/**
 * Finds uploads far back in a list as fast as the newest: SQLite walks to an offset, a million steps to the last. Every
 * 256th upload of an account that is asked so far back is remembered, the oldest first: those that come later move none.
 */
export class UploadMarks {
  readonly #database: Database
  readonly #marks = new Map<number, Age[]>()

  constructor(database: Database) {
    this.#database = database
  }

  /** In order of age. @param place how many of the account's are older */
  oldestFrom(accountId: number, columns: string, place: number, count: number): Row[] {
    const marks = this.#marks.get(accountId) ?? []
    this.#marks.set(accountId, marks)
    while ((marks.length + 1) * MARKS_APART <= place) {
      const [next] = this.#from(accountId, marks.at(-1), 'accountId, createdAt, id', 1, MARKS_APART)
      if (next === undefined) break
      marks.push(next as unknown as Age)
    }
    const at = Math.min(Math.floor(place / MARKS_APART), marks.length)
    return this.#from(accountId, marks[at - 1], columns, count, place - at * MARKS_APART)
  }

  #from(accountId: number, mark: Age | undefined, columns: string, count: number, skipped: number): Row[] {
    const { createdAt = Number.MIN_SAFE_INTEGER, id = 0 } = mark ?? {}
    return this.#database.all(following(columns), accountId, createdAt, id, accountId, createdAt, count, skipped)
  }

  /** An upload that was added or removed moves all newer ones; nearly every one is its account's newest. */
  moved({ accountId, createdAt, id }: Age): void {
    const marks = this.#marks.get(accountId) ?? []
    const isNewer = (mark: Age) => mark.createdAt > createdAt || (mark.createdAt === createdAt && mark.id >= id)
    while (marks.length > 0 && marks.slice(-1).some(isNewer)) marks.pop()
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#marks.clear()
  }
}
