import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { quoted } from '../../src/checks/words.ts'
import { opened } from '../../src/store/sqlite.ts'
import { BlobStore, removeBlobs, temporaryFolder } from './blobs.ts'
import {
  claimFolder,
  DataFolderError,
  dataFolder,
  folderInUse,
  prepareFolder,
  refuseOthers,
  releaseFolder,
  restoreAdvice,
  unusableFolder,
} from './folder.ts'
import { RecordStore, schema } from './records.ts'
import type { LogLimits } from './request-log.ts'
import { Database } from './turn.ts'

/** Of the tables: another build's are refused. */
const version = 9
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
    if (resultCode(error) === busy) throw folderInUse(folder, error)
    // A row that is no JSON.
    const isDamaged = resultCode(error) === corrupt || error instanceof SyntaxError
    throw isDamaged ? damaged(folder.path, error) : unusableFolder(folder, error)
  }
}

async function openFolder(
  folder: ReturnType<typeof dataFolder>,
  sqlite: DatabaseSync,
  limits: LogLimits | undefined,
): Promise<Storage> {
  // Files that a killed process had partly received: first, since the disk may be full because of them.
  removeBlobs(folder.incoming, () => true)
  prepareDatabase(sqlite)
  const database = new Database(sqlite, folder.records)
  const records = new RecordStore(database, limits)
  await prepareFolder(folder)
  const used = records.uploads.blobIds()
  removeBlobs(folder.blobs, (id) => !used.has(id))
  return {
    records,
    blobs: new BlobStore({ isDurable: true, blobs: () => folder.blobs, incoming: () => folder.incoming }, database),
    isDurable: true,
    async close() {
      releaseFolder(folder)
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

/** SQLite's codes for a database that another connection has locked, and for one with wrong bytes. */
const [busy, corrupt] = [5, 11]

function resultCode(error: unknown): number {
  return Number(Object(error).errcode) & 0xff
}

function damaged(path: string, cause: unknown): DataFolderError {
  const reason = `${quoted(Object(cause).message)}; ${restoreAdvice}`
  return new DataFolderError(`The records.db of the folder ${path} is damaged: ${reason}`, { cause })
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}
