import { existsSync, lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isOnNetwork } from './network-folder.ts'
import { type RunId, Runs } from './runs.ts'
import { inTransaction, openDatabase, openToRead, orStoreError, setAside } from './sqlite.ts'
import { StoreError } from './store-error.ts'
import { copyRows, isWhole, uploadTables } from './upload-tables.ts'

/** What became of a store of uploads that could not be used as it was. */
export type UploadsProblem =
  /** The run goes on without the file: it knows what it could read, and what it does is not remembered. */
  | { readonly type: 'unusable'; readonly path: string; readonly reason: string }
  /** Set aside, and what could be read of it copied: so many uploads. */
  | { readonly type: 'damaged'; readonly path: string; readonly aside: string; readonly saved: number }
  /** On a disk of another machine nothing tells which runs live. */
  | { readonly type: 'network'; readonly path: string }

export interface UploadFileOptions {
  /** Undefined for a store in memory. */
  readonly path: string | undefined
  /** Changes nothing on the disk. */
  readonly isReadOnly?: boolean
  /** Called at most once with each kind of problem. */
  readonly onProblem: (problem: UploadsProblem) => void
  /** Default: as statfs tells. */
  readonly isNetwork?: boolean
}

const IN_MEMORY = ':memory:'
/** In memory the only run lives. */
const ONLY_RUN = 'AAAAAAAAAAAA'
/** Other processes may replace the file again. */
const MOST_REMEDIES = 5

/** The database of uploads, and what is done where its disk fails: damage is set aside, anything else goes on in memory. */
export class UploadFile {
  readonly #options: UploadFileOptions
  readonly #runs: Runs
  readonly #statements = new Map<string, StatementSync>()
  readonly #told = new Set<UploadsProblem['type']>()
  /** Whether nothing tells which other runs live. */
  readonly isNetwork: boolean
  #path: string
  #inode = 0
  #run: RunId | undefined
  #database: DatabaseSync

  /** @throws StoreError `busy` */
  constructor(options: UploadFileOptions) {
    this.#options = options
    this.#path = options.path ?? IN_MEMORY
    const folder = dirname(this.#path)
    this.#runs = new Runs(folder)
    this.#database = this.#open()
    this.isNetwork = !this.#isInMemory() && (options.isNetwork ?? isOnNetwork(folder))
    if (this.isNetwork) this.#tell({ type: 'network', path: folder })
  }

  /** Runs work that reads. @throws StoreError `busy` */
  read<Result>(work: () => Result): Result {
    return this.#withRemedies(() => orStoreError(this.#path, work))
  }

  /** Runs work that writes, as one transaction. @throws StoreError `busy` */
  write<Result>(work: (run: RunId) => Result): Result {
    return this.#withRemedies(() => {
      const run = this.#me()
      return inTransaction(this.#database, this.#path, () => work(run))
    })
  }

  /** A statement on the database that is open now. */
  sql(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known) return known
    const made = this.#database.prepare(text)
    this.#statements.set(text, made)
    return made
  }

  get database(): DatabaseSync {
    return this.#database
  }

  /** This run. @throws StoreError `busy` */
  name(): RunId {
    return this.#withRemedies(() => this.#me())
  }

  /** This run, where it has written already. */
  get run(): RunId | undefined {
    return this.#run
  }

  lives(run: RunId): boolean {
    return run === this.#run || (!this.#isInMemory() && this.#runs.lives(run))
  }

  /** Notices that the file was removed or replaced, and goes on with the one of its name. */
  look(): void {
    if (this.#isInMemory() || this.#options.isReadOnly || inodeOf(this.#path) === this.#inode) return
    this.#withRemedies(() => {
      if (inodeOf(this.#path) !== this.#inode) throw StoreError.ofDatabase('moved', this.#path)
    })
  }

  /** @param now epoch milliseconds */
  close(now: number): void {
    this.#close()
    this.#runs.close()
    if (!this.#isInMemory() && !this.#options.isReadOnly) this.#runs.sweep(now)
  }

  #isInMemory(): boolean {
    return this.#path === IN_MEMORY
  }

  #me(): RunId {
    const run = this.#isInMemory() ? (this.#run ?? ONLY_RUN) : this.#runs.own()
    // The lock of the run was removed: it goes on under another name.
    if (this.#run !== undefined && this.#run !== run) this.#rename(this.#run, run)
    this.#run = run
    return run
  }

  #rename(from: RunId, to: RunId): void {
    inTransaction(this.#database, this.#path, () => {
      this.sql('UPDATE OR REPLACE run SET name = ? WHERE name = ?').run(to, from)
      this.sql('UPDATE item SET run = ? WHERE run = ?').run(to, from)
      this.sql('UPDATE upload SET run = ? WHERE run = ?').run(to, from)
    })
  }

  #tell(problem: UploadsProblem): void {
    if (this.#told.has(problem.type)) return
    this.#told.add(problem.type)
    this.#options.onProblem(problem)
  }

  #withRemedies<Result>(work: () => Result): Result {
    for (let left = MOST_REMEDIES; ; left -= 1) {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof StoreError) || error.failure === 'busy' || this.#isInMemory()) throw error
        this.#remedy(left > 0 ? error : StoreError.ofDatabase('unusable', this.#path, error.reason))
      }
    }
  }

  /** Opens the database anew, with what the old one still tells. */
  #remedy(error: StoreError): void {
    const old = this.#database
    this.#statements.clear()
    try {
      const isReplaced = error.failure === 'moved' || (error.failure === 'damaged' && !this.#options.isReadOnly)
      if (error.failure === 'damaged') this.#repair()
      this.#database = isReplaced ? this.#open() : this.#openInMemory(error.reason)
      this.#carry(old)
    } finally {
      if (old.isOpen) old.close()
    }
  }

  /** Of a replaced file what this run has, of any other all that can be read. */
  #carry(old: DatabaseSync): void {
    const to = this.#database
    const run = this.#isInMemory() ? undefined : this.#run
    if (run === undefined && !this.#isInMemory()) return
    inTransaction(to, this.#path, () => copyRows(old, to, run))
  }

  #open(): DatabaseSync {
    if (this.#isInMemory()) return openDatabase(IN_MEMORY, uploadTables)
    for (let left = MOST_REMEDIES; ; left -= 1) {
      try {
        return this.#options.isReadOnly ? this.#openToRead() : this.#openToWrite()
      } catch (error) {
        if (!(error instanceof StoreError) || error.failure === 'busy') throw error
        if (error.failure !== 'damaged' || left === 0 || this.#options.isReadOnly)
          return this.#openInMemory(error.reason)
        this.#repair()
      }
    }
  }

  #openToWrite(): DatabaseSync {
    const database = openDatabase(this.#path, uploadTables)
    // What is forgotten is to be gone from the disk, too.
    database.exec('PRAGMA secure_delete = ON')
    this.#inode = inodeOf(this.#path)
    return database
  }

  #openToRead(): DatabaseSync {
    if (!existsSync(this.#path)) return openDatabase(IN_MEMORY, uploadTables)
    return openToRead(this.#path, uploadTables)
  }

  /** From now on the run counts in memory. */
  #openInMemory(reason: string): DatabaseSync {
    this.#tell({ type: 'unusable', path: this.#path, reason })
    this.#path = IN_MEMORY
    return openDatabase(IN_MEMORY, uploadTables)
  }

  #repair(): void {
    if (this.#options.isReadOnly) return
    const path = this.#path
    const successor = `${path}.new`
    let saved = 0
    const make = () => {
      removeDatabase(successor)
      saved = copyDamaged(path, successor)
      return successor
    }
    const aside = setAside(path, () => isWhole(path), make)
    if (aside !== undefined) this.#tell({ type: 'damaged', path, aside, saved })
  }

  #close(): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }
}

/** @returns the number of uploads that could be read */
function copyDamaged(path: string, successor: string): number {
  const to = openDatabase(successor, uploadTables)
  try {
    return inTransaction(to, successor, () => {
      try {
        const from = openToRead(path, uploadTables)
        try {
          return copyRows(from, to)
        } finally {
          from.close()
        }
      } catch {
        // Nothing of it can be read.
        return 0
      }
    })
  } finally {
    to.close()
    rmSync(`${successor}-journal`, { force: true })
  }
}

function removeDatabase(path: string): void {
  for (const end of ['', '-journal']) rmSync(path + end, { force: true })
}

/** 0 where nothing has the name. */
function inodeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.ino ?? 0
}
