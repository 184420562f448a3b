import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { CodedError, quoted } from '../../src/checks/coded-error.ts'
import { opened } from '../../src/store/sqlite.ts'
import { makePrivateFolder } from '../../src/system/private-file.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'
import { type BlobFolders, BlobStore, removeBlobs, temporaryFolder } from './blobs.ts'
import { RecordStore, schema } from './records.ts'
import { Database } from './turn.ts'

/** Of the tables: another build's are refused. */
const version = 10
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

function dataFolder(path: string) {
  const within = (name: string) => join(path, name)
  return {
    path,
    /** The database; it marks a folder as the emulator's. */
    records: within('records.db'),
    blobs: within('blobs'),
    /** Files still being received. */
    incoming: within('tmp'),
    /** The id of the process that uses the folder; for messages only, not a lock. */
    owner: within('pid'),
  }
}

/** Storage that exists only for this process. */
export function openMemoryStorage(mostRequests?: number): Storage {
  return storageOn(
    opened(':memory:', {}, (made) => made.exec(schema)),
    temporaryFolder(),
    mostRequests,
  )
}

/**
 * Opens a data folder, creating it if needed. After a killed process nothing needs repair: its lock ended with it, and
 * its unfinished files are removed.
 *
 * @throws DataFolderError if the folder is in use, belongs to something else or was written by another release
 */
export async function openDataFolder(path: string, mostRequests?: number): Promise<Storage> {
  const { records, blobs, incoming, owner, ...folder } = dataFolder(resolve(path))
  let database: DatabaseSync | undefined
  try {
    claimFolder(folder.path)
    database = opened(records, { timeout: lockMs }, (found) => {
      lock(found)
      if (isEmpty(found)) refuseOthers(folder.path)
    })
    // Files that a killed process had partly received: first, since the disk may be full because of them.
    removeBlobs(incoming, () => true)
    prepareDatabase(database)
    for (const made of [blobs, incoming]) mkdirSync(made, { mode: 0o700, recursive: true })
    writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
    const remove = () => rmSync(owner, { force: true })
    const storage = storageOn(
      database,
      { isDurable: true, blobs: () => blobs, incoming: () => incoming, remove },
      mostRequests,
    )
    const used = storage.records.uploads.blobIds()
    removeBlobs(blobs, (id) => !used.has(id))
    return storage
  } catch (error) {
    database?.close()
    throw folderError(path, error)
  }
}

function storageOn(sqlite: DatabaseSync, folders: BlobFolders, mostRequests: number | undefined): Storage {
  const database = new Database(sqlite)
  return {
    records: new RecordStore(database, mostRequests),
    blobs: new BlobStore(folders, database),
    isDurable: folders.isDurable,
    async close() {
      // While a data folder is still locked.
      folders.remove()
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

const ownEntries = [...databaseEntries, 'blobs', 'tmp', 'pid']

/**
 * Makes a new or empty folder a data folder.
 * @throws Error if it has other files
 */
function claimFolder(path: string): void {
  makePrivateFolder(path)
  const entries = readdirSync(path)
  // Someone else may have made the folder: what is written or removed in it must not reach elsewhere.
  for (const name of ownEntries.filter((own) => entries.includes(own))) {
    const [entry, found] = [join(path, name), lstatSync(join(path, name))]
    if (found.isSymbolicLink()) throw new Error(`${entry} is a link, which is not followed`)
    if (found.isFile() && found.nlink > 1) throw new Error(`${entry} is a hard link: the file has another name too`)
  }
  if (entries.includes('records.db')) return
  refuseOthers(path)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  writeFileSync(join(path, 'records.db'), '', { flag: 'a', mode: 0o600 })
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
  const problem = `The folder ${folder.path} cannot be used: ${reason}`
  return new DataFolderError(`${problem}; choose another folder, or fix this`, { cause })
}

/** Who uses a folder, and what to do. */
function userOf({ owner }: ReturnType<typeof dataFolder>): string {
  let who = 'another program'
  try {
    who = `process ${Number.parseInt(readFileSync(owner, 'utf8'), 10)}`
  } catch {
    // It has not said so.
  }
  return `${who}: close the emulator there, or choose another folder`
}
