import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { isOnNetwork, type RunId, Runs } from './runs.ts'
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

/** Of uploads.db. A claim is a row of `item`: its unique index refuses a second one on the same content. */
export const uploadTables: DatabaseOptions = {
  version: 2,
  synchronous: 'FULL',
  journal: 'TRUNCATE',
  schema: `
-- An account is named by the hash of its address and key. All times are epoch milliseconds.
CREATE TABLE account (key_hash TEXT PRIMARY KEY, address TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE item (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  run TEXT,                           -- null once its run does not look for it any more
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sending', 'looking', 'unknown')),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT,                        -- null until it is known
  is_forced INTEGER NOT NULL,
  is_awaited INTEGER NOT NULL DEFAULT 0,
  mime_type TEXT,
  attempt TEXT,
  at REAL NOT NULL,
  ended_at REAL
) STRICT;
CREATE UNIQUE INDEX item_claim ON item (account, sha256) WHERE is_forced = 0 AND sha256 IS NOT NULL;
CREATE INDEX item_size ON item (account, size);
CREATE TABLE upload (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
  slug TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,               -- empty where it was not hashed
  name TEXT NOT NULL,
  mime_type TEXT,                     -- as it was sent
  is_kept INTEGER,                    -- whether the service stored it as it was sent; null where that is not known
  at REAL NOT NULL,
  seen_at REAL NOT NULL,
  is_listed INTEGER NOT NULL,         -- whether a list or a page has shown it
  run TEXT,                           -- that stored or saw it last
  shown TEXT,                         -- the upload, while it is fresh
  UNIQUE (account, slug)
) STRICT;
CREATE INDEX upload_content ON upload (account, size, sha256);
CREATE INDEX upload_kept ON upload (account, mime_type, is_kept) WHERE is_kept IS NOT NULL;
CREATE INDEX upload_shown ON upload (seen_at) WHERE shown IS NOT NULL`,
}

/** What became of a store of uploads that could not be used as it was. */
export type UploadsProblem =
  /** The run goes on without the file: it knows what it could read, and what it does is not remembered. */
  | { readonly type: 'unusable'; readonly path: string; readonly reason: string }
  /** Set aside, and what could be read of it copied: so many uploads. */
  | { readonly type: 'damaged'; readonly path: string; readonly aside: string; readonly saved: number }
  /** On a disk of another machine nothing tells which runs live. */
  | { readonly type: 'network'; readonly path: string }

export interface UploadDatabaseOptions {
  /** Undefined for a store in memory. */
  readonly path: string | undefined
  /** Changes nothing on the disk. */
  readonly isReadOnly?: boolean
  /** Called at most once with each kind of problem. */
  readonly onProblem: (problem: UploadsProblem) => void
  /** Default: as statfs tells. */
  readonly isNetwork?: boolean
}

export type Row = Readonly<Record<string, SQLInputValue>>

const IN_MEMORY = ':memory:'
/** Other processes may replace the file again. */
const MOST_REMEDIES = 5

/**
 * The database of uploads, and what is done where its disk fails: a file that was removed or replaced is made again with
 * what this run has, damage is set aside, anything else goes on in memory. One that is busy, or newer, is not gone on without.
 */
export class UploadDatabase {
  readonly #options: UploadDatabaseOptions
  readonly runs: Runs
  readonly #statements = new Map<string, StatementSync>()
  readonly #told = new Set<UploadsProblem['type']>()
  /** Whether nothing tells which other runs live. */
  readonly isNetwork: boolean
  #path: string
  #inode: bigint | undefined
  #database: DatabaseSync | undefined
  /** What could not be used any more, and still tells something. */
  #old: DatabaseSync | undefined

  /** @throws StoreError `busy`, `newer` */
  constructor(options: UploadDatabaseOptions) {
    this.#options = options
    this.#path = options.path ?? IN_MEMORY
    const folder = options.path === undefined ? undefined : dirname(options.path)
    this.runs = new Runs(folder)
    this.read(() => {})
    this.isNetwork = folder !== undefined && this.#isFile() && (options.isNetwork ?? isOnNetwork(folder))
    if (this.isNetwork) this.#tell({ type: 'network', path: String(folder) })
  }

  /** Runs work that reads. @throws StoreError `busy`, `newer` */
  read<Result>(work: () => Result): Result {
    return this.#withRemedies(() => orStoreError(this.#path, work))
  }

  /** Runs work that writes, as one transaction. @throws StoreError `busy`, `newer` */
  write<Result>(work: (run: RunId) => Result): Result {
    return this.#withRemedies((database) => {
      const run = this.#me()
      return inTransaction(database, this.#path, () => work(run))
    })
  }

  /** This run. @throws StoreError `busy`, `newer` */
  me(): RunId {
    return this.#withRemedies(() => this.#me())
  }

  /** For work within {@link read} or {@link write}. */
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#sql(sql).all(...values)
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#sql(sql).get(...values)
  }

  /** @returns how many rows it has changed */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#sql(sql).run(...values).changes)
  }

  /** @param now epoch milliseconds of the system */
  close(now: number): void {
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
    this.runs.close()
    if (this.#options.path !== undefined && !this.#options.isReadOnly) this.runs.sweep(now)
  }

  #isFile(): boolean {
    return this.#path !== IN_MEMORY
  }

  #me(): RunId {
    return this.#isFile() ? this.runs.own() : this.runs.own({ isAlone: true })
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known) return known
    if (this.#database === undefined) throw new Error('The database is closed')
    const made = this.#database.prepare(text)
    this.#statements.set(text, made)
    return made
  }

  #tell(problem: UploadsProblem): void {
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
    const isOfFile = error instanceof StoreError && this.#isFile()
    if (!isOfFile || error.failure === 'busy' || error.failure === 'newer') throw error
    this.#statements.clear()
    this.#old ??= this.#database
    this.#database = undefined
    const mayGoOn =
      left > 0 && (error.failure === 'moved' || (error.failure === 'damaged' && !this.#options.isReadOnly))
    if (!mayGoOn) {
      this.#tell({ type: 'unusable', path: this.#path, reason: error.reason })
      this.#path = IN_MEMORY
    } else if (error.failure === 'damaged') this.#repair()
  }

  /** With what this run has in the old one; in memory with all that can be read. */
  #open(): DatabaseSync {
    const { isReadOnly = false } = this.#options
    const isEmpty = isReadOnly && !existsSync(this.#path)
    const database =
      isReadOnly && this.#isFile() && !isEmpty
        ? openToRead(this.#path, uploadTables)
        : openDatabase(isEmpty ? IN_MEMORY : this.#path, uploadTables)
    this.#inode = inodeOf(this.#path)
    // What is forgotten is to be gone from the disk, too.
    if (!isReadOnly) database.exec('PRAGMA secure_delete = ON')
    const old = this.#old
    if (old === undefined) return database
    try {
      // A plan has nothing of its own.
      if (!isReadOnly || !this.#isFile()) {
        const run = this.#isFile() ? this.#me() : undefined
        inTransaction(database, this.#path, () => copyRows(old, database, run))
      }
    } catch (error) {
      database.close()
      throw error
    }
    this.#old = undefined
    old.close()
    return database
  }

  #repair(): void {
    const path = this.#path
    let saved = 0
    const makeSuccessor = () => {
      const successor = `${path}.new`
      saved = copyDamaged(path, successor)
      return successor
    }
    const aside = setAside(path, uploadTables, makeSuccessor)
    if (aside !== undefined) this.#tell({ type: 'damaged', path, aside, saved })
  }
}

/** @returns the number of uploads that could be read */
function copyDamaged(path: string, successor: string): number {
  for (const end of ['', '-journal']) rmSync(successor + end, { force: true })
  const to = openDatabase(successor, uploadTables)
  try {
    const from = openToRead(path, uploadTables)
    try {
      return inTransaction(to, successor, () => copyRows(from, to))
    } finally {
      from.close()
    }
  } catch {
    // Nothing of it can be read.
    return 0
  } finally {
    to.close()
    rmSync(`${successor}-journal`, { force: true })
  }
}

/**
 * Copies all rows that can be read, and those of one run alone where it is named. What is there already stays.
 * @returns the number of uploads
 */
function copyRows(from: DatabaseSync, to: DatabaseSync, run?: RunId): number {
  let uploads = 0
  for (const table of ['account', 'item', 'upload']) {
    const isNumbered = table !== 'account'
    for (const { seq: _, ...row } of readable(from, table, isNumbered)) {
      if (run !== undefined && isNumbered && row['run'] !== run) continue
      const names = Object.keys(row)
      const sql = `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      const { changes } = to.prepare(sql).run(...Object.values(row))
      if (table === 'upload') uploads += Number(changes)
    }
  }
  return uploads
}

/** All rows that can be read; of a damaged table those before and those behind the damage. */
function* readable(database: DatabaseSync, table: string, isNumbered: boolean): Iterable<Row> {
  for (const order of isNumbered ? ['ORDER BY seq', 'ORDER BY seq DESC'] : ['']) {
    try {
      yield* database.prepare(`SELECT * FROM ${table} ${order}`).iterate() as Iterable<Row>
      return
    } catch {
      // The other end may be whole.
    }
  }
}
