import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Clock } from '../clock.ts'
import { type Decide, type QuotaStore, type RowForm, turnAlone } from './quota-store.ts'
import { Runs } from './runs.ts'
import {
  type DatabaseOptions,
  inodeOf,
  inTransaction,
  openDatabase,
  openToRead,
  orStoreError,
  setAside,
} from './sqlite.ts'
import { StoreError } from './store-error.ts'

/** Losing it costs a wait at most, so that nothing is flushed to the disk. */
const options: DatabaseOptions = {
  version: 2,
  synchronous: 'OFF',
  journal: 'TRUNCATE',
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

interface Opened {
  readonly database: DatabaseSync
  readonly inode: bigint | undefined
  readonly after: StatementSync
  readonly has: StatementSync
  readonly count: StatementSync
  readonly add: StatementSync
}

/**
 * The rows of one key in the database that all processes of a machine share. The disk may be full, read-only or gone. A
 * database that is busy, or that a newer version has written, is another matter: counting beside it would admit too much.
 */
export class SqliteQuota<Row> implements QuotaStore<Row> {
  readonly isNear = true
  readonly #options: SqliteQuotaOptions<Row>
  readonly #path: string
  readonly #runs: Runs
  #opened: Opened | undefined
  /** The last row that was shown or added; 0 before the first turn. */
  #seen = 0
  #isAlone = false

  constructor(given: SqliteQuotaOptions<Row>) {
    this.#options = given
    this.#path = pathIn(given.folder)
    this.#runs = new Runs(given.folder)
  }

  turn<Result>(decide: Decide<Row, Result>): Result {
    try {
      if (!this.#isAlone) return this.#onDisk(decide)
    } catch (error) {
      this.#goOnAlone(error)
    }
    return turnAlone(decide, this.#options.clock.now())
  }

  pollMs(leftMs: number | undefined): number {
    return leftMs === undefined ? POLL_MS : IDLE_POLL_MS
  }

  close(): void {
    this.#drop()
    this.#runs.close()
  }

  /** A file that was removed, replaced or damaged is made again. */
  #onDisk<Result>(decide: Decide<Row, Result>): Result {
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

  /** @throws the error, if it is no fault of the disk */
  #goOnAlone(error: unknown): void {
    const { onProblem } = this.#options
    const isOfDisk = error instanceof StoreError && error.failure !== 'busy' && error.failure !== 'newer'
    if (!isOfDisk || onProblem === undefined) throw error
    this.#isAlone = true
    onProblem(error.reason)
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

  /** Where the last row that was shown is gone, shorter ones have replaced it. */
  #news({ has, after }: Opened): { readonly news: readonly Row[]; readonly isWhole: boolean } {
    const isWhole = has.get(this.#seen) === undefined
    const found = after.all(this.#options.account, isWhole ? 0 : this.#seen)
    this.#seen = Number(found.at(-1)?.['seq'] ?? (isWhole ? 0 : this.#seen))
    return { news: rowsOf(found, this.#options.form), isWhole }
  }

  /** @returns the last row that this store knows */
  #add(rows: readonly Row[], now: number, opened: Opened): number {
    if (rows.length === 0) return this.#seen
    if (this.#seen === 0) forgetOld(opened.database, now)
    const seen = this.#insert(rows, now, 0, opened)
    const [{ database, count, after }, { account, form }] = [opened, this.#options]
    const { all = 0, compact = 0 } = count.get(account) ?? {}
    if (Number(all) <= Math.max(COMPACT_FROM, 2 * Number(compact))) return seen
    const kept = form.compact(rowsOf(after.all(account, 0), form), now)
    database.prepare('DELETE FROM quota WHERE account = ?').run(account)
    return this.#insert(kept, now, 1, opened)
  }

  /** @returns the last of them; 0 for none */
  #insert(rows: readonly Row[], now: number, isCompact: 0 | 1, { add }: Opened): number {
    const { account, form } = this.#options
    const added = rows.map((row) => add.run(account, Math.round(now), form.format(row), isCompact).lastInsertRowid)
    return Number(added.at(-1) ?? 0)
  }

  #drop(): void {
    this.#opened?.database.close()
    this.#opened = undefined
    this.#seen = 0
  }
}

/** All rows of a key; none where there is no database. Writes nothing. @throws StoreError */
export function readQuotaRows<Row>({
  folder,
  account,
  form,
}: Omit<SqliteQuotaOptions<Row>, 'clock' | 'onProblem'>): readonly Row[] {
  const path = pathIn(folder)
  if (inodeOf(path) === undefined) return []
  const sql = 'SELECT row FROM quota WHERE account = ? ORDER BY seq'
  const database = openToRead(path, options)
  try {
    return orStoreError(path, () => rowsOf(database.prepare(sql).all(account), form))
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
    has: database.prepare('SELECT 1 FROM quota WHERE seq = ?'),
    count: database.prepare('SELECT count(*) AS "all", total(is_compact) AS compact FROM quota WHERE account = ?'),
    add: database.prepare('INSERT INTO quota (account, at, row, is_compact) VALUES (?, ?, ?, ?)'),
  }
}

/** A key is new on this machine now and then, so keys that are not used any more go then. */
function forgetOld(database: DatabaseSync, now: number): void {
  const old = 'SELECT account FROM quota GROUP BY account HAVING max(at) < ?'
  database.prepare(`DELETE FROM quota WHERE account IN (${old})`).run(Math.round(now - FORGOTTEN_MS))
}

function rowsOf<Row>(found: readonly Record<string, unknown>[], form: RowForm<Row>): readonly Row[] {
  return found.flatMap(({ row }) => form.parse(String(row)) ?? [])
}
