import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { CodedError, quoted } from '../../src/checks/coded-error.ts'
import { opened } from '../../src/store/sqlite.ts'
import { makePrivateFolder } from '../../src/system/private-file.ts'
import { isAlive } from '../../src/system/process.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'
import { BlobStore, removeBlobs, syncFolder, temporaryFolder } from './blobs.ts'
import { RecordStore, schema } from './records.ts'
import type { LogLimits } from './request-log.ts'
import { Database } from './turn.ts'

/** Of the tables: another build's are refused. */
const version = 8
/** Identifies a database as the emulator's; an arbitrary number. */
const applicationId = 0x66_68_65_6d
/** Another process may be starting, or a killed one may still be ending. */
const lockMs = 500
/** So that a million uploads, whose slugs are in no order, are added without reading and writing pages again and again. */
const cacheKib = 32_768

export interface Storage {
  readonly records: RecordStore
  readonly blobs: BlobStore
  /** Whether the next process has what this one stored. */
  readonly isDurable: boolean
  /** Writes what should last and removes the rest. */
  close(): Promise<void>
}

/** The folder cannot hold the data; it is left unchanged. */
export class DataFolderError extends CodedError {
  override readonly name = 'DataFolderError'
  readonly code = 'unusable-data-folder' satisfies EmulatorErrorCode
}

interface DataFolder {
  readonly path: string
  /** The database; it marks a folder as the emulator's. */
  readonly records: string
  readonly blobs: string
  /** Files still being received. */
  readonly incoming: string
  /** The id of the process that uses the folder; for messages only, not a lock. */
  readonly owner: string
}

function dataFolder(path: string): DataFolder {
  const within = (name: string) => join(path, name)
  return { path, records: within('records.db'), blobs: within('blobs'), incoming: within('tmp'), owner: within('pid') }
}

/** Storage that exists only for this process. */
export function openMemoryStorage(limits?: LogLimits): Storage {
  const database = new Database(
    opened(':memory:', {}, (made) => made.exec(schema)),
    ':memory:',
  )
  const records = new RecordStore(database, limits)
  const folder = temporaryFolder()
  return {
    records,
    blobs: new BlobStore(folder, database),
    isDurable: false,
    async close() {
      await database.close()
      folder.remove()
    },
  }
}

/**
 * Opens a data folder, creating it if needed. After a killed process nothing needs repair: its lock ended with it, and
 * its unfinished files are removed.
 *
 * @throws DataFolderError if the folder is in use, belongs to something else or was written by another release
 */
export async function openDataFolder(path: string, limits?: LogLimits): Promise<Storage> {
  const folder = dataFolder(resolve(path))
  try {
    claimFolder(folder)
    const sqlite = opened(folder.records, { timeout: lockMs }, (found) => {
      lock(found)
      if (isEmpty(found)) refuseOthers(folder.path)
    })
    return await openFolder(folder, sqlite, limits).catch((error: unknown) => {
      sqlite.close()
      throw error
    })
  } catch (error) {
    throw folderError(path, error)
  }
}

async function openFolder(folder: DataFolder, sqlite: DatabaseSync, limits: LogLimits | undefined): Promise<Storage> {
  // Files that a killed process had partly received: first, since the disk may be full because of them.
  removeBlobs(folder.incoming, () => true)
  prepareDatabase(sqlite)
  const database = new Database(sqlite, folder.records)
  const records = new RecordStore(database, limits)
  for (const made of [folder.blobs, folder.incoming]) mkdirSync(made, { mode: 0o700, recursive: true })
  writeFileSync(folder.owner, `${process.pid}\n`, { mode: 0o600 })
  await syncFolder(folder.path)
  const used = records.uploads.blobIds()
  removeBlobs(folder.blobs, (id) => !used.has(id))
  return {
    records,
    blobs: new BlobStore({ isDurable: true, blobs: () => folder.blobs, incoming: () => folder.incoming }, database),
    isDurable: true,
    async close() {
      // While the folder is still locked.
      if (readOwner(folder) === process.pid) rmSync(folder.owner, { force: true })
      await database.close()
    },
  }
}

/**
 * Locks a database file for this process without writing, so that it works on a full disk. The lock is SQLite's and ends
 * with the process.
 * @throws Error if it is not an emulator's, is of another version, or is in use
 */
function lock(database: DatabaseSync): void {
  // In this mode the lock outlives its transaction.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  const found = pragma(database, 'user_version')
  if (!isEmpty(database) && pragma(database, 'application_id') !== applicationId) {
    throw new Error('it is another program’s database')
  }
  if (found === 0 || found === version) return
  const writer = found > version ? 'a newer' : 'an earlier'
  throw new Error(`${writer} release wrote it (version ${found}, this one reads ${version})`)
}

function prepareDatabase(database: DatabaseSync): void {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheKib}`)
  if (pragma(database, 'user_version') !== version) {
    const mark = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`
    // Makes the mark of the database safe before the folder gets files that only the mark identifies.
    database.exec(`BEGIN EXCLUSIVE; ${schema} ${mark}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  }
  // Reads the first row of each table: most damage shows there.
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.prepare(`SELECT * FROM "${String(name).replaceAll('"', '""')}" LIMIT 1`).get()
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

/** Created by operating systems. */
const systemEntries = ['.DS_Store', 'lost+found']

/** The database and SQLite's files next to it. */
const databaseEntries = ['', '-wal', '-shm', '-journal'].map((end) => `records.db${end}`)

/**
 * Makes a new or empty folder a data folder.
 * @throws DataFolderError if it has other files
 */
function claimFolder(folder: DataFolder): void {
  const { path, records } = folder
  makePrivateFolder(path)
  const entries = readdirSync(path)
  refuseLinks(folder)
  if (entries.includes('records.db')) return
  refuseOthers(path)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  writeFileSync(records, '', { flag: 'a', mode: 0o600 })
}

/** Someone else may have made the folder: what is written or removed in it must not reach elsewhere. */
function refuseLinks({ path, blobs, incoming, owner }: DataFolder): void {
  for (const entry of [...databaseEntries.map((name) => join(path, name)), blobs, incoming, owner]) {
    const found = lstatSync(entry, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error(`${entry} is a link, which is not followed`)
    if (found?.isFile() && found.nlink > 1) throw new Error(`${entry} is a hard link: the file has another name too`)
    // A pipe would be waited for.
    if (found && !found.isFile() && !found.isDirectory()) throw new Error(`${entry} is no regular file`)
  }
}

/**
 * Call if there is no database, or an empty one: it may be new, or may have lost its content.
 * @throws DataFolderError if the folder has other files, of which an empty database knows nothing
 */
function refuseOthers(path: string): void {
  const others = readdirSync(path).filter((entry) => ![...systemEntries, ...databaseEntries].includes(entry))
  const [first] = others
  if (first === undefined) return
  throw new DataFolderError(
    others.includes('blobs')
      ? `The folder ${path} has files of uploads, but its records.db is empty: ${restoreAdvice}. Nothing was removed`
      : `The folder ${path} has ${JSON.stringify(first)} in it and no emulator data: choose an empty folder`,
  )
}

/** Ends every error about a damaged database. */
const restoreAdvice = 'restore that file from a copy, or choose another folder'

/** SQLite's codes for a database that another connection has locked, and for one with wrong bytes. */
const [busy, corrupt] = [5, 11]

/** Why a data folder cannot be used, and what to do. */
export function folderError(path: string, cause: unknown): DataFolderError {
  if (cause instanceof DataFolderError) return cause
  const folder = dataFolder(resolve(path))
  const result = Number(Object(cause).errcode) & 0xff
  if (result === busy) return new DataFolderError(`The folder ${folder.path} is in use by ${userOf(folder)}`, { cause })
  // A row that is no JSON.
  if (result === corrupt || cause instanceof SyntaxError) {
    const reason = `${quoted(Object(cause).message)}; ${restoreAdvice}`
    return new DataFolderError(`The records.db of the folder ${folder.path} is damaged: ${reason}`, { cause })
  }
  // The place, if it is inside the folder.
  const { path: place = folder.path }: NodeJS.ErrnoException = Object(cause)
  const reason = `${place === folder.path ? '' : `${place}: `}${reasonOf(cause)}`
  return new DataFolderError(
    `The folder ${folder.path} cannot be used: ${reason}; choose another folder, or fix this`,
    {
      cause,
    },
  )
}

/** Who uses a folder, if it is known, and what to do. */
function userOf(folder: DataFolder): string {
  const pid = readOwner(folder)
  const isOther = pid !== undefined && pid !== process.pid && isAlive(pid)
  const who = isOther ? `process ${pid}` : `another emulator${pid === process.pid ? ' of this process' : ''}`
  return `${who}: ${isOther ? 'stop' : 'close'} that emulator, or choose another folder`
}

/** Undefined if the file is missing or names no process. */
function readOwner({ owner }: DataFolder): number | undefined {
  try {
    return Number.parseInt(readFileSync(owner, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}
