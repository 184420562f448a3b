import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { type RunId, Runs } from './runs.ts'
import {
  BUSY_MS,
  closing,
  type DatabaseOptions,
  inodeOf,
  inTransaction,
  openDatabase,
  opened,
  openLock,
  orStoreError,
} from './sqlite.ts'
import { StoreError } from './store-error.ts'

/** What became of a database that could not be used as it was. */
export type StateProblem =
  /** The run goes on in memory: it knows what it could read, and what it does is not remembered. */
  | { readonly type: 'unusable'; readonly path: string; readonly reason: string }
  /** Set aside, and so many rows copied that could be read. */
  | { readonly type: 'damaged'; readonly path: string; readonly aside: string; readonly saved: number }

export interface StateDatabaseOptions {
  /** In the state folder; undefined for a database in memory. */
  readonly path: string | undefined
  readonly tables: DatabaseOptions
  /** Called at most once with each kind of problem. */
  readonly onProblem: (problem: StateProblem) => void
}

export type Row = Readonly<Record<string, SQLInputValue>>

const IN_MEMORY = ':memory:'
/** Other processes may replace the file again. */
const MOST_REMEDIES = 5

/**
 * A database that the runs of a machine share, and what is done where its disk fails: a file that was removed or replaced is
 * opened again, damage is set aside, anything else goes on in memory. One that is busy, or newer, is not gone on without.
 */
export class StateDatabase {
  readonly #options: StateDatabaseOptions
  readonly runs: Runs
  readonly #told = new Set<StateProblem['type']>()
  #path: string
  #inode: bigint | undefined
  #database: DatabaseSync | undefined
  /** What could not be used any more, and still tells something. */
  #old: DatabaseSync | undefined
  /** How often one was opened: the next one may have other rows. */
  openings = 0

  constructor(options: StateDatabaseOptions) {
    this.#options = options
    this.#path = options.path ?? IN_MEMORY
    this.runs = new Runs(options.path && dirname(options.path))
  }

  /** Whether other runs see it. */
  get isFile(): boolean {
    return this.#path !== IN_MEMORY
  }

  /** Runs work that reads. @throws StoreError `busy`, `newer` */
  read<Result>(work: () => Result): Result {
    return this.#withRemedies(() => orStoreError(this.#path, work))
  }

  /** Runs work that writes, as one transaction. Each kind of work may run again, in another database. @throws StoreError */
  write<Result>(work: () => Result): Result {
    return this.#withRemedies((database) => inTransaction(database, this.#path, work))
  }

  /** This run; and the rest for work within {@link read} or {@link write}. */
  me(): RunId {
    return this.runs.own({ isAlone: !this.isFile })
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#sql(sql).all(...values)
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#sql(sql).get(...values)
  }

  /** @returns how many rows it has changed, and the number of the last one that it has added */
  run(sql: string, ...values: readonly SQLInputValue[]) {
    const { changes, lastInsertRowid } = this.#sql(sql).run(...values)
    return { changes: Number(changes), last: Number(lastInsertRowid) }
  }

  /** This run is over, but for what it does after this. */
  close(): void {
    this.#database?.close()
    this.#database = undefined
    this.runs.close()
  }

  #sql(text: string): StatementSync {
    if (this.#database === undefined) throw new Error('The database is closed')
    return this.#database.prepare(text)
  }

  #tell(problem: StateProblem): void {
    if (!this.#told.has(problem.type)) this.#options.onProblem(problem)
    this.#told.add(problem.type)
  }

  #withRemedies<Result>(work: (database: DatabaseSync) => Result): Result {
    for (let left = MOST_REMEDIES; ; left -= 1) {
      try {
        this.#database ??= this.#open()
        if (inodeOf(this.#path) !== this.#inode) throw StoreError.ofDatabase('moved', this.#path)
        return work(this.#database)
      } catch (error) {
        this.#remedy(error, left)
      }
    }
  }

  /** @throws the error, where no other database helps */
  #remedy(error: unknown, left: number): void {
    const isOfFile = error instanceof StoreError && this.isFile
    if (!isOfFile || error.failure === 'busy' || error.failure === 'newer') throw error
    this.#old ??= this.#database
    this.#database = undefined
    const { path = IN_MEMORY, tables } = this.#options
    if (left > 0 && error.failure === 'moved') return
    if (left > 0 && error.failure === 'damaged') {
      try {
        const kept = setAside(path, tables)
        if (kept) this.#tell({ type: 'damaged', path, ...kept })
      } catch (failed) {
        // The disk is full, or the folder cannot be written.
        this.#remedy(failed, 0)
      }
      return
    }
    this.#path = IN_MEMORY
    this.#tell({ type: 'unusable', path, reason: error.reason })
  }

  #open(): DatabaseSync {
    const database = openDatabase(this.#path, this.#options.tables)
    const old = this.#old
    this.#old = undefined
    if (old && !this.isFile) inTransaction(database, this.#path, () => copyRows(old, database))
    old?.close()
    this.#inode = inodeOf(this.#path)
    this.openings += 1
    return database
  }
}

/**
 * Renames a damaged database aside, together with its journal, unless another process has done that already. A new one with
 * what can be read of it gets its name at once.
 */
export function setAside(path: string, tables: DatabaseOptions): { aside: string; saved: number } | undefined {
  return closing(openLock(join(dirname(path), 'replace.lock'), BUSY_MS), () => {
    if (isSound(path, tables)) return undefined
    return orStoreError(path, () => {
      const [aside, successor] = [freeName(path), `${path}.new`]
      const saved = copyDamaged(path, successor, tables)
      // The journal first: a journal that stands beside another database would be played into that.
      for (const end of ['-journal', '']) if (existsSync(path + end)) renameSync(path + end, aside + end)
      renameSync(successor, path)
      return { aside, saved }
    })
  })
}

/** Whether a database is not known to be damaged. */
function isSound(path: string, tables: DatabaseOptions): boolean {
  try {
    const check = (database: DatabaseSync) => database.prepare('PRAGMA integrity_check(1)').get()
    const found = closing(openDatabase(path, tables), (database) => orStoreError(path, () => check(database)))
    return Object.values(found ?? {})[0] === 'ok'
  } catch (error) {
    return !(error instanceof StoreError) || error.failure !== 'damaged'
  }
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.damaged-${number}`
    if (!existsSync(name) && !existsSync(`${name}-journal`)) return name
  }
}

/** @returns how many rows could be read, as {@link copyRows} counts */
function copyDamaged(path: string, successor: string, tables: DatabaseOptions): number {
  for (const end of ['', '-journal']) rmSync(successor + end, { force: true })
  const saved = closing(openDatabase(successor, tables), (to) => {
    try {
      return closing(
        opened(path, { readOnly: true }, () => {}),
        (from) => inTransaction(to, successor, () => copyRows(from, to)),
      )
    } catch (error) {
      // The disk of the new one is full: the old one stays where it is.
      if (error instanceof StoreError) throw error
      return 0
    }
  })
  rmSync(`${successor}-journal`, { force: true })
  return saved
}

/** Copies all rows that can be read. @returns how many of the last table, which is what the database is for */
function copyRows(from: DatabaseSync, to: DatabaseSync): number {
  let saved = 0
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
  for (const { name } of to.prepare(tables).all()) {
    saved = 0
    for (const row of readable(from, String(name))) {
      const [names, values] = [Object.keys(row), Object.values(row)]
      const sql = `INSERT OR IGNORE INTO ${name} (${names.join()}) VALUES (${names.map(() => '?').join()})`
      saved += Number(to.prepare(sql).run(...values).changes)
    }
  }
  return saved
}

/** All rows that can be read: those before the damage, and those behind it. */
function* readable(database: DatabaseSync, table: string): Iterable<Row> {
  for (const order of ['ASC', 'DESC']) {
    try {
      yield* database.prepare(`SELECT * FROM ${table} ORDER BY 1 ${order}`).iterate() as Iterable<Row>
      return
    } catch {
      // The other end may be whole.
    }
  }
}
