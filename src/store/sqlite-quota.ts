import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Decide, QuotaStore, RowForm } from './quota-store.ts'
import { closing, type DatabaseOptions, inodeOf, openDatabase, orStoreError } from './sqlite.ts'
import { StateDatabase, type StateProblem } from './state-database.ts'
import { StoreError } from './store-error.ts'

/** Losing it costs a wait at most, so that nothing is flushed to the disk. */
const tables: DatabaseOptions = {
  version: 2,
  synchronous: 'OFF',
  // is_compact: whether the row has replaced older ones.
  schema: `
    CREATE TABLE quota (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, at INTEGER NOT NULL, row TEXT NOT NULL,
      is_compact INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX quota_account ON quota (account, seq, is_compact)`,
}

const pathIn = (folder: string) => join(folder, 'quota.db')

/** No window remembers an account of which nothing was written for so long. */
const FORGOTTEN_MS = 3 * 86_400_000
/** Rows are made fewer when there are more of them than this, and twice as many as after the last time. */
const COMPACT_FROM = 300
/** How often a wait looks: for the end of a request of another process, and while the end of the wait is known. */
const POLL_MS = 150
const IDLE_POLL_MS = 1_000

export interface SqliteQuotaOptions<Row> {
  /** The state folder. */
  readonly folder: string
  /** Names the key without revealing it. */
  readonly account: string
  readonly form: RowForm<Row>
  readonly clock: Clock
  /** Called once with the reason where the disk fails: from then on this process counts alone. Default: that is thrown. */
  readonly onProblem?: (reason: string) => void
}

const AFTER = 'SELECT seq, row FROM quota WHERE account = ? AND seq > ? ORDER BY seq'

/** The rows of one key in the database that all processes of a machine share. */
export class SqliteQuota<Row> implements QuotaStore<Row> {
  readonly isNear = true
  readonly #options: SqliteQuotaOptions<Row>
  readonly #database: StateDatabase
  /** The last row that was shown or added, in which database; 0 before the first turn, and after an error. */
  #seen = { row: 0, opening: 0 }

  constructor(given: SqliteQuotaOptions<Row>) {
    this.#options = given
    const onProblem = (problem: StateProblem) => {
      // Rows that are lost with a damaged file cost a wait at most.
      if (problem.type === 'damaged') return
      if (given.onProblem === undefined) throw StoreError.ofDatabase('unusable', problem.path, problem.reason)
      given.onProblem(problem.reason)
    }
    this.#database = new StateDatabase({ path: pathIn(given.folder), tables, onProblem })
  }

  turn<Result>(decide: Decide<Row, Result>): Result {
    const database = this.#database
    const { result, row, onAdded } = database.write(() => {
      const { news, isWhole, last } = this.#news()
      const now = this.#options.clock.now()
      const run = () => database.me()
      // In memory a process hears of no end of what others began.
      const lives = (other: string) => database.isFile && database.runs.lives(other)
      const { add, ...decision } = decide({ news, isWhole, now, uncertainMs: 0, run, lives })
      return { ...decision, row: this.#add(add, now, last) }
    })
    this.#seen = { row, opening: database.openings }
    onAdded?.([])
    return result
  }

  pollMs(leftMs: number | undefined): number {
    return leftMs === undefined ? POLL_MS : IDLE_POLL_MS
  }

  close(): void {
    this.#database.close()
  }

  /** Where the last row that was shown is gone, shorter ones have replaced it. */
  #news() {
    const { row, opening } = this.#seen
    this.#seen = { row: 0, opening: 0 }
    const isThere = () => this.#database.get('SELECT 1 FROM quota WHERE seq = ?', row) !== undefined
    const isWhole = opening !== this.#database.openings || !isThere()
    const found = this.#database.all(AFTER, this.#options.account, isWhole ? 0 : row)
    const last = Number(found.at(-1)?.['seq'] ?? (isWhole ? 0 : row))
    return { news: rowsOf(found, this.#options.form), isWhole, last }
  }

  /** @param last the last row that is known @returns the last one after this */
  #add(rows: readonly Row[], now: number, last: number): number {
    if (rows.length === 0) return last
    if (last === 0) this.#forgetOld(now)
    const added = this.#insert(rows, now, 0)
    const [database, { account, form }] = [this.#database, this.#options]
    const count = 'SELECT count(*) AS "all", total(is_compact) AS compact FROM quota WHERE account = ?'
    const { all = 0, compact = 0 } = database.get(count, account) ?? {}
    if (Number(all) <= Math.max(COMPACT_FROM, 2 * Number(compact))) return added
    const kept = form.compact(rowsOf(database.all(AFTER, account, 0), form), now)
    database.run('DELETE FROM quota WHERE account = ?', account)
    return this.#insert(kept, now, 1)
  }

  /** @returns the last of them; 0 for none */
  #insert(rows: readonly Row[], now: number, isCompact: 0 | 1): number {
    const { account, form } = this.#options
    const sql = 'INSERT INTO quota (account, at, row, is_compact) VALUES (?, ?, ?, ?)'
    const added = rows.map((row) => this.#database.run(sql, account, Math.round(now), form.format(row), isCompact).last)
    return added.at(-1) ?? 0
  }

  /** A key is new on this machine now and then, so keys that are not used any more go then. */
  #forgetOld(now: number): void {
    const old = 'SELECT account FROM quota GROUP BY account HAVING max(at) < ?'
    this.#database.run(`DELETE FROM quota WHERE account IN (${old})`, Math.round(now - FORGOTTEN_MS))
  }
}

/** All rows of a key; none where there is no database. @throws StoreError */
export function readQuotaRows<Row>({
  folder,
  account,
  form,
}: Omit<SqliteQuotaOptions<Row>, 'clock' | 'onProblem'>): readonly Row[] {
  const path = pathIn(folder)
  if (inodeOf(path) === undefined) return []
  return closing(openDatabase(path, tables), (database) =>
    orStoreError(path, () => rowsOf(database.prepare(AFTER).all(account, 0), form)),
  )
}

function rowsOf<Row>(found: readonly Readonly<Record<string, unknown>>[], form: RowForm<Row>): readonly Row[] {
  return found.flatMap(({ row }) => form.parse(String(row)) ?? [])
}
