import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import type { Decide, QuotaStore, RowForm } from './quota-store.ts'
import { Runs } from './runs.ts'
import { type DatabaseOptions, inTransaction, openDatabase, openToRead, orStoreError, setAside } from './sqlite.ts'
import { StoreError } from './store-error.ts'

/** Losing it costs a wait at most, so that nothing is flushed to the disk. */
const options: DatabaseOptions = {
  version: 1,
  synchronous: 'OFF',
  journal: 'TRUNCATE',
  // base: rows up to `seq` were replaced by so many shorter ones, which follow.
  schema: `
    CREATE TABLE quota (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, at INTEGER NOT NULL, row TEXT NOT NULL
    ) STRICT;
    CREATE INDEX quota_account ON quota (account, seq);
    CREATE TABLE base (account TEXT PRIMARY KEY, seq INTEGER NOT NULL, rows INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
}

const pathIn = (folder: string) => join(folder, 'quota.db')
const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

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
}

interface Opened {
  readonly database: DatabaseSync
  readonly inode: number | undefined
  readonly after: StatementSync
  readonly base: StatementSync
  readonly count: StatementSync
  readonly add: StatementSync
}

/** The rows of one key in the database that all processes of a machine share. */
export class SqliteQuota<Row> implements QuotaStore<Row> {
  readonly isNear = true
  readonly #options: SqliteQuotaOptions<Row>
  readonly #path: string
  readonly #runs: Runs
  #opened: Opened | undefined
  /** The last row that was shown or added; 0 before the first turn. */
  #seen = 0

  constructor(given: SqliteQuotaOptions<Row>) {
    this.#options = given
    this.#path = pathIn(given.folder)
    this.#runs = new Runs(given.folder)
  }

  turn<Result>(decide: Decide<Row, Result>): Result {
    try {
      return this.#turn(decide)
    } catch (error) {
      this.#drop()
      if (!(error instanceof StoreError)) throw error
      if (error.failure === 'damaged') setAside(this.#path, options)
      else if (error.failure !== 'moved') throw error
    }
    return this.#turn(decide)
  }

  pollMs(leftMs: number | undefined): number {
    return leftMs === undefined ? POLL_MS : IDLE_POLL_MS
  }

  close(): void {
    this.#drop()
    this.#runs.close()
  }

  #turn<Result>(decide: Decide<Row, Result>): Result {
    const { clock } = this.#options
    const opened = this.#open()
    const { database } = opened
    const { result, seen, onAdded } = inTransaction(database, this.#path, () => {
      const { news, isWhole } = this.#news(opened)
      const now = clock.now()
      const run = () => this.#runs.own()
      const lives = (other: string) => this.#runs.lives(other)
      const { add, ...decision } = decide({ news, isWhole, now, uncertainMs: 0, run, lives })
      return { ...decision, seen: this.#add(add, now, opened) }
    })
    this.#seen = seen
    onAdded?.([])
    return result
  }

  #open(): Opened {
    // Rows added to a file that has no name any more are seen by none.
    if (this.#opened && this.#opened.inode !== inodeOf(this.#path)) this.#drop()
    this.#opened ??= opened(this.#path)
    return this.#opened
  }

  #news({ base, after }: Opened): { readonly news: readonly Row[]; readonly isWhole: boolean } {
    const replaced = Number(base.get(this.#options.account)?.['seq'] ?? 0)
    const isWhole = this.#seen <= replaced
    const found = after.all(this.#options.account, isWhole ? 0 : this.#seen)
    this.#seen = Number(found.at(-1)?.['seq'] ?? Math.max(this.#seen, replaced))
    return { news: rowsOf(found, this.#options.form), isWhole }
  }

  /** @returns the last row that this store knows */
  #add(rows: readonly Row[], now: number, opened: Opened): number {
    if (rows.length === 0) return this.#seen
    if (opened.base.get(this.#options.account) === undefined) begin(opened.database, this.#options.account, now)
    return this.#compact(this.#insert(rows, now, opened), now, opened)
  }

  /** @returns the last of them */
  #insert(rows: readonly Row[], now: number, { add }: Opened): number {
    const { account, form } = this.#options
    return Number(rows.map((row) => add.run(account, Math.round(now), form.format(row)).lastInsertRowid).at(-1))
  }

  #compact(seen: number, now: number, opened: Opened): number {
    const [{ database, count, base, after }, { account, form }] = [opened, this.#options]
    const least = Math.max(COMPACT_FROM, 2 * Number(base.get(account)?.['rows'] ?? 0))
    if (Number(count.get(account)?.['rows']) <= least) return seen
    const rows = form.compact(rowsOf(after.all(account, 0), form), now)
    database.prepare('DELETE FROM quota WHERE account = ?').run(account)
    database.prepare('UPDATE base SET seq = ?, rows = ? WHERE account = ?').run(seen, rows.length, account)
    return rows.length === 0 ? seen + 1 : this.#insert(rows, now, opened)
  }

  #drop(): void {
    this.#opened?.database.close()
    this.#opened = undefined
    this.#seen = 0
  }
}

/** All rows of a key; none where there is no database. Writes nothing. @throws StoreError */
export function readQuotaRows<Row>({ folder, account, form }: Omit<SqliteQuotaOptions<Row>, 'clock'>): readonly Row[] {
  const path = pathIn(folder)
  if (inodeOf(path) === undefined) return []
  const sql = 'SELECT row FROM quota WHERE account = ? ORDER BY seq'
  return reading(path, (database) => rowsOf(database.prepare(sql).all(account), form))
}

function reading<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  const database = openToRead(path, options)
  try {
    return orStoreError(path, () => work(database))
  } finally {
    database.close()
  }
}

function opened(path: string): Opened {
  const database = openDatabase(path, options)
  return {
    database,
    inode: inodeOf(path),
    after: database.prepare('SELECT seq, row FROM quota WHERE account = ? AND seq > ? ORDER BY seq'),
    base: database.prepare('SELECT seq, rows FROM base WHERE account = ?'),
    count: database.prepare('SELECT count(*) AS rows FROM quota WHERE account = ?'),
    add: database.prepare('INSERT INTO quota (account, at, row) VALUES (?, ?, ?)'),
  }
}

/** A key is new on this machine now and then, so keys that are not used any more go then. */
function begin(database: DatabaseSync, account: string, now: number): void {
  database.prepare('INSERT INTO base VALUES (?, 0, 0)').run(account)
  const old = 'SELECT account FROM quota GROUP BY account HAVING max(at) < ?'
  database.prepare(`DELETE FROM quota WHERE account IN (${old})`).run(Math.round(now - FORGOTTEN_MS))
  database.prepare('DELETE FROM base WHERE account <> ? AND account NOT IN (SELECT account FROM quota)').run(account)
}

function rowsOf<Row>(found: readonly Record<string, unknown>[], form: RowForm<Row>): readonly Row[] {
  return found.flatMap(({ row }) => form.parse(String(row)) ?? [])
}
