import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ForeignFileError, isTrusted, makePrivateFolder } from '../system/private-file.ts'
import { errorCodeOf } from '../system/system-errors.ts'
import { type DatabaseFailure, StoreError } from './store-error.ts'

/** What SQLite's result codes mean. Of all others the disk, or the folder, is the cause. */
const failures: ReadonlyMap<number, DatabaseFailure> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [11, 'damaged'],
  [26, 'damaged'],
  [1032, 'moved'],
])
/** A wrong statement, and a row that a constraint forbids. */
const mistakes = [1, 19]

/** How long SQLite waits for another process. */
export const BUSY_MS = 2_000

export interface DatabaseOptions {
  /** That of the schema, from 1. */
  readonly version: number
  /** Makes all tables of an empty database. */
  readonly schema: string
  /** FULL: what is committed survives a loss of power. OFF: it survives the end of the process. */
  readonly synchronous: 'OFF' | 'FULL'
}

let loaded: typeof import('node:sqlite') | undefined

/** Node 22 warns that the module is experimental, of which a user of `fh` can make nothing. */
function sqlite(): typeof import('node:sqlite') {
  if (loaded) return loaded
  const { emitWarning } = process
  try {
    process.emitWarning = () => {}
    loaded = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
  return loaded
}

/**
 * Opens a database, and makes it where it is missing: folder 0700, file 0600.
 * @throws StoreError
 */
export function openDatabase(path: string, options: DatabaseOptions): DatabaseSync {
  return orStoreError(path, () => {
    if (path !== ':memory:') {
      makePrivateFolder(dirname(path))
      createFile(path)
    }
    return opened(path, {}, (database) => prepareDatabase(database, path, options))
  })
}

function prepareDatabase(
  database: DatabaseSync,
  path: string,
  { version, schema, synchronous }: DatabaseOptions,
): void {
  // WAL would be full on a small disk, and grant unseen after its file was removed. What is forgotten is gone from the disk.
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_mode = TRUNCATE; PRAGMA secure_delete = ON`)
  const found = versionOf(database)
  if (found === version) return
  if (found > version) throw StoreError.ofDatabase('newer', path)
  if (found !== 0) throw StoreError.ofDatabase('newer', path, 'an earlier version of fh has written it')
  inTransaction(database, path, () => {
    // Another process may have made the tables meanwhile.
    if (versionOf(database) === 0) database.exec(`${schema}; PRAGMA user_version = ${version}`)
  })
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
}

/**
 * Runs work that writes. It is committed as a whole or not at all, and must not wait for anything.
 * @throws StoreError, and what the work throws
 */
export function inTransaction<Result>(database: DatabaseSync, path: string, work: () => Result): Result {
  return orStoreError(path, () => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      // SQLite itself has rolled back where the disk is full.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  })
}

/** @throws StoreError for every error of SQLite and of the file system; others as they are */
export function orStoreError<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asStoreError(path, error)
  }
}

function asStoreError(path: string, error: unknown): unknown {
  if (error instanceof StoreError) return error
  const { errcode, errno, message } = Object(error) as Readonly<Record<string, unknown>>
  const isOfFile = error instanceof ForeignFileError || typeof errno === 'number'
  const result = Number(errcode ?? 0)
  // Anything else is a mistake of this program.
  if ((errcode === undefined && !isOfFile) || mistakes.includes(result & 0xff)) return error
  const failure = failures.get(result) ?? failures.get(result & 0xff) ?? 'unusable'
  return StoreError.ofDatabase(failure, path, failure === 'unusable' ? String(message) : undefined)
}

/**
 * Takes the lock of a file that nothing else uses, in a folder that is there. It ends with `close`, and with the process, whatever ends that.
 * @throws StoreError `busy` where another holds it
 */
export function openLock(path: string, timeoutMs = 0): DatabaseSync {
  return orStoreError(path, () => {
    createFile(path)
    const created = inodeOf(path)
    return opened(path, { timeout: timeoutMs }, (lock) => {
      lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      // A holder may remove the file before its lock ends: a lock on a file without a name is none, for the next run makes another.
      if (created === undefined || created !== inodeOf(path)) throw StoreError.ofDatabase('busy', path)
    })
  })
}

/**
 * The same for two names, or at two times, only where they lead to one file; undefined where nothing has the name.
 * @throws StoreError where that cannot be asked
 */
export function inodeOf(path: string): bigint | undefined {
  return orStoreError(path, () => lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino)
}

/**
 * Ends a lock and removes its file: in this order on Windows, which removes no open file, and elsewhere in the other, because
 * the file may be another process's once the lock has ended.
 */
export function endLock(path: string, lock: DatabaseSync): void {
  if (process.platform === 'win32') lock.close()
  try {
    rmSync(path, { force: true })
  } catch {
    // A file that stays is locked again by the next run.
  }
  if (lock.isOpen) lock.close()
}

/** Whether a run holds such a lock. What cannot be asked counts as held, because a live run must not lose its claims. */
export function isLocked(path: string): boolean {
  try {
    opened(path, { readOnly: true, timeout: 0 }, (probe) => {
      probe.prepare('SELECT count(*) FROM sqlite_schema').get()
    }).close()
    return false
  } catch {
    return existsSync(path)
  }
}

/** Opens a database as it is. @param prepare judges it; where it throws, the database is closed */
export function opened(path: string, options: object, prepare: (database: DatabaseSync) => void): DatabaseSync {
  const database = new (sqlite().DatabaseSync)(path, { timeout: BUSY_MS, ...options })
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Closes a database, or ends a lock, after the work. */
export function closing<Result>(database: DatabaseSync, work: (database: DatabaseSync) => Result): Result {
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** The one file that is opened by `fs`: it is new, so no lock of this process on it can be lost. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    try {
      expectOwnFile(path)
    } catch (refusal) {
      if (errorCodeOf(refusal) !== 'ENOENT') throw refusal
      // Another process has removed it just now.
      createFile(path)
    }
  }
}

/** Looks at the name only: closing the file by `fs` would drop the locks that this process has on it. */
function expectOwnFile(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) throw new ForeignFileError(path, 'link')
  if (!found.isFile()) throw new ForeignFileError(path, 'kind')
  if (!isTrusted(found)) throw new ForeignFileError(path, 'owner')
  if (found.nlink > 1) throw new ForeignFileError(path, 'second-name')
  // SQLite says of both that it cannot open the file.
  accessSync(path, constants.R_OK | constants.W_OK)
}
