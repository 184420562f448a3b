import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { quoted } from '../../src/checks/quoted.ts'
import { opened } from '../../src/store/sqlite.ts'
import { type BlobStore, createFileBlobs, createTemporaryBlobs, removeDrafts, removeOrphanedBlobs } from './blobs.ts'
import {
  claimFolder,
  DataFolderError,
  dataFolder,
  describeOwner,
  prepareFolder,
  refuseMissingRecords,
  releaseFolder,
  unusableFolder,
} from './folder.ts'
import { RecordStore, schema } from './records.ts'
import type { LogLimits } from './request-log.ts'
import { restoreAdvice } from './rows.ts'
import { Turns } from './turn.ts'

/** Of the tables: another build's are refused. Those of releases before this one had versions up to 6. */
const version = 7
/** Identifies a database as the emulator's; an arbitrary number. */
const applicationId = 0x66_68_65_6d
/** Another process may be starting, or a killed one may still be ending. */
const lockMs = 500

export interface Storage {
  readonly records: RecordStore
  readonly blobs: BlobStore
  /** Whether the next process has what this one stored. */
  readonly isDurable: boolean
  /** As that of the records; removed blobs are gone then too. Clients learn of a change only then. */
  readonly flushed: Flushed
  /** Writes what should last and removes the rest. */
  close(): Promise<void>
}

export type Flushed = RecordStore['flushed']

/** Storage that exists only for this process. */
export function openMemoryStorage(limits?: LogLimits): Storage {
  const database = opened(':memory:', {}, (made) => made.exec(schema))
  const turns = new Turns(database, ':memory:')
  const records = new RecordStore(database, turns, limits)
  const blobs = createTemporaryBlobs()
  return {
    records,
    blobs,
    isDurable: false,
    flushed: (since) => records.flushed(since),
    async close() {
      await blobs.close()
      await turns.close()
      database.close()
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
    const database = opened(folder.records, { timeout: lockMs }, (found) => {
      lock(found)
      if (isEmpty(found)) refuseMissingRecords(folder)
    })
    return await openFolder(folder, database, limits).catch((error: unknown) => {
      const reason = isDamage(error) ? namedDamage(database, folder.records, error) : error
      database.close()
      throw reason
    })
  } catch (error) {
    throw isBusy(error) ? new DataFolderError(describeOwner(folder), { cause: error }) : unusableFolder(folder, error)
  }
}

async function openFolder(
  folder: ReturnType<typeof dataFolder>,
  database: DatabaseSync,
  limits: LogLimits | undefined,
): Promise<Storage> {
  await removeDrafts(folder.incoming)
  prepareDatabase(database)
  const turns = new Turns(database, folder.records)
  const records = new RecordStore(database, turns, limits)
  await prepareFolder(folder)
  await removeOrphanedBlobs(folder.blobs, records.uploads.blobIds())
  const blobs = createFileBlobs(folder, () => records.flushed())
  return {
    records,
    blobs,
    isDurable: true,
    flushed(since) {
      const written = records.flushed(since)
      return written === undefined ? blobs.removed() : written.then(() => blobs.removed())
    },
    async close() {
      await blobs.close()
      releaseFolder(folder)
      try {
        await turns.close()
      } catch (cause) {
        if (existsSync(folder.records)) throw cause
        throw new DataFolderError(`The folder ${folder.path} was removed while it was in use`, { cause })
      } finally {
        database.close()
      }
    },
  }
}

/**
 * Locks a database file for this process without writing, so that it works on a full disk. The lock is SQLite's and ends
 * with the process.
 * @throws Error if it is not an emulator's, is of another version, or is in use (see {@link isBusy})
 */
function lock(database: DatabaseSync): void {
  // In this mode the lock outlives its transaction.
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  const found = pragma(database, 'user_version')
  if (!isEmpty(database) && pragma(database, 'application_id') !== applicationId) {
    throw new Error('it is another program’s database')
  }
  if (found > version) {
    throw new Error(`a newer release wrote it (version ${found}, this one knows ${version}): use that release`)
  }
  if (found > 0 && found < version) {
    throw new Error(
      `an earlier release wrote its records.db (version ${found}, this one reads ${version}): choose another folder`,
    )
  }
}

function prepareDatabase(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  if (pragma(database, 'user_version') !== version) {
    const mark = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`
    // Makes the mark of the database safe before the folder gets files that only the mark identifies.
    database.exec(`BEGIN EXCLUSIVE; ${schema} ${mark}; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  }
  // Reads the first row of each table: most damage shows there.
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) database.prepare(`SELECT * FROM ${name} LIMIT 1`).get()
}

/** SQLite says only that some page is malformed: this names the first one, and its table or index. */
function namedDamage(database: DatabaseSync, path: string, cause: unknown): DataFolderError {
  let damage = quoted(Object(cause).message)
  try {
    const [found = ''] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    const [, tree, page] = /Tree (\d+) page (\d+)/.exec(String(found)) ?? []
    const owner = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage = ?').get(Number(tree))
    if (tree !== undefined) damage = `page ${page} of ${owner?.['name']} cannot be read`
  } catch {
    // The damage is such that even its check fails.
  }
  return new DataFolderError(`The records.db of the folder ${dirname(path)} is damaged: ${damage}; ${restoreAdvice}`, {
    cause,
  })
}

/** Whether an error means that another connection has locked the database. */
function isBusy(error: unknown): boolean {
  return resultCode(error) === 5
}

function isDamage(error: unknown): boolean {
  return resultCode(error) === 11
}

function resultCode(error: unknown): number {
  return Number(Object(error).errcode) & 0xff
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}
