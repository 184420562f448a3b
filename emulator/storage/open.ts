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

/** Of the tables: another build's, and any other database, are refused. */
const version = 12
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

/** Storage that exists only for this process. */
export function openMemoryStorage(): Storage {
  return storageOn(
    opened(':memory:', {}, (made) => made.exec(schema)),
    temporaryFolder(),
  )
}

/** The database and SQLite's files next to it; it marks a folder as the emulator's. */
const databaseEntries = ['', '-wal', '-shm', '-journal'].map((end) => `records.db${end}`)
/** Others: files, files still being received, and the id of the process that uses the folder, which is no lock. */
const [blobsEntry, incomingEntry, ownerEntry] = ['blobs', 'tmp', 'pid'] as const
/** Created by operating systems. */
const systemEntries = ['.DS_Store', 'lost+found']

/**
 * Opens a data folder, creating it if needed. After a killed process nothing needs repair: its lock ended with it, and
 * its unfinished files are removed.
 *
 * @throws DataFolderError if the folder is in use, belongs to something else or was written by another release
 */
export async function openDataFolder(path: string): Promise<Storage> {
  const folder = resolve(path)
  const blobs = join(folder, blobsEntry)
  const incoming = join(folder, incomingEntry)
  const owner = join(folder, ownerEntry)
  let database: DatabaseSync | undefined
  try {
    claimFolder(folder)
    database = opened(join(folder, 'records.db'), { timeout: lockMs }, (found) => lock(found, folder))
    // Files that a killed process had partly received: first, since the disk may be full because of them.
    removeBlobs(incoming, () => true)
    prepareDatabase(database)
    for (const made of [blobs, incoming]) mkdirSync(made, { mode: 0o700, recursive: true })
    writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
    const remove = () => rmSync(owner, { force: true })
    const storage = storageOn(database, { isDurable: true, blobs: () => blobs, incoming: () => incoming, remove })
    const used = storage.records.uploads.blobIds()
    removeBlobs(blobs, (id) => !used.has(id))
    return storage
  } catch (error) {
    database?.close()
    throw folderError(folder, error)
  }
}

function storageOn(sqlite: DatabaseSync, folders: BlobFolders): Storage {
  const database = new Database(sqlite)
  return {
    records: new RecordStore(database),
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
 * Makes a new or empty folder a data folder.
 * @throws Error if it has other files, or links: someone else may have made it, and what is written must not reach elsewhere
 */
function claimFolder(folder: string): void {
  makePrivateFolder(folder)
  const entries = readdirSync(folder)
  for (const name of [...databaseEntries, blobsEntry, incomingEntry, ownerEntry].filter((own) =>
    entries.includes(own),
  )) {
    const found = lstatSync(join(folder, name))
    const isLink = found.isSymbolicLink() || (found.isFile() && found.nlink > 1)
    if (isLink) throw new Error(`${join(folder, name)} is a link, which is not followed`)
  }
  if (entries.includes('records.db')) return
  refuseOthers(folder)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  writeFileSync(join(folder, 'records.db'), '', { flag: 'a', mode: 0o600 })
}

/**
 * Call if there is no database, or an empty one: it may be new, or may have lost its content.
 * @throws DataFolderError if the folder has other files, of which an empty database knows nothing
 */
function refuseOthers(folder: string): void {
  const other = readdirSync(folder).find((entry) => ![...systemEntries, ...databaseEntries].includes(entry))
  if (other === undefined) return
  const problem = `The folder ${folder} has ${JSON.stringify(other)} in it and no emulator data`
  throw new DataFolderError(`${problem}: choose an empty folder, or restore its records.db from a copy`)
}

/**
 * Locks a database file for this process without writing, so that it works on a full disk. The lock is SQLite's and ends
 * with the process.
 * @throws Error if another release or another program wrote it, or if it is in use
 */
function lock(database: DatabaseSync, folder: string): void {
  // In this mode the lock outlives its transaction.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name]
  const found = pragma('user_version')
  if (isEmpty(database)) refuseOthers(folder)
  else if (found !== version || pragma('application_id') !== applicationId)
    throw new Error(`another release wrote it (version ${found}, this one reads ${version}), or another program`)
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function prepareDatabase(database: DatabaseSync): void {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${cacheKib}`)
  // Made safe before the folder gets files that only this database explains.
  const mark = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`
  if (isEmpty(database)) database.exec(`BEGIN EXCLUSIVE; ${schema} ${mark}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  // Reads the first row of each table: most damage shows there.
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.prepare(`SELECT * FROM "${name}" LIMIT 1`).get()
}

/** SQLite's codes for a database that another connection has locked, and for one with wrong bytes, in it or at its start. */
const [busy, ...damaged] = [5, 11, 26]

/** Why a data folder cannot be used, and what to do. */
export function folderError(path: string, cause: unknown): DataFolderError {
  if (cause instanceof DataFolderError) return cause
  const folder = resolve(path)
  const result = Number(Object(cause).errcode) & 0xff
  const why = () => {
    if (result === busy) return `is in use by ${userOf(folder)}: close the emulator there, or choose another folder`
    // A row that is no JSON, too.
    if (damaged.includes(result) || cause instanceof SyntaxError)
      return `has a damaged records.db: ${quoted(Object(cause).message)}; restore that file from a copy, or choose another folder`
    // The place, if it is inside the folder.
    const { path: place = folder }: NodeJS.ErrnoException = Object(cause)
    const at = place === folder ? '' : `${place}: `
    return `cannot be used: ${at}${reasonOf(cause)}; choose another folder, or fix this`
  }
  return new DataFolderError(`The folder ${folder} ${why()}`, { cause })
}

function userOf(folder: string): string {
  try {
    return `process ${Number.parseInt(readFileSync(join(folder, ownerEntry), 'utf8'), 10)}`
  } catch {
    // It has not said so.
    return 'another program'
  }
}
