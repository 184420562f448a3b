import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { andThen } from '../values/maybe-promise.ts'
import { type BlobStore, createFileBlobs, createTemporaryBlobs, removeDrafts, removeOrphanedBlobs } from './blobs.ts'
import {
  claimFolder,
  type DataFolder,
  DataFolderError,
  dataFolder,
  describeOwner,
  prepareFolder,
  refuseMissingRecords,
  releaseFolder,
  unusableFolder,
} from './folder.ts'
import { type Flushed, RecordStore, schema } from './records.ts'
import type { LogLimits } from './request-log.ts'
import { isBusy, lockDatabase, makeTables, namedDamage, openDatabase, touchTables } from './sqlite.ts'
import { Turns } from './turn.ts'

export interface Storage {
  readonly records: RecordStore
  readonly blobs: BlobStore
  /** Whether the next process has what this one stored. */
  readonly isDurable: boolean
  /** Resolves once all earlier changes are safe and removed blobs are gone. Clients learn of a change only then. */
  readonly flushed: Flushed
  /** Writes what should last and removes the rest. */
  close(): Promise<void>
}

/** Storage that exists only for this process. */
export function openMemoryStorage(limits?: LogLimits): Storage {
  const database = openDatabase(':memory:')
  makeTables(database, schema)
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
  let database: DatabaseSync | undefined
  let opened: ReturnType<typeof openRecords>
  try {
    await claimFolder(folder)
    database = openDatabase(folder.records)
    if (lockDatabase(database) === 'empty') await refuseMissingRecords(folder)
    await removeDrafts(folder.incoming)
    opened = openRecords(database, folder, limits)
    await prepareFolder(folder)
    await removeOrphanedBlobs(folder.blobs, opened.records.uploads.blobIds())
  } catch (error) {
    const reason = await reasonFor(error, folder, database)
    try {
      database?.close()
    } catch {
      // A database that failed to open may also fail to close.
    }
    throw unusableFolder(folder, reason)
  }
  const { records, turns } = opened
  const blobs = createFileBlobs(folder, () => records.flushed())
  return {
    records,
    blobs,
    isDurable: true,
    flushed: (since) => andThen(records.flushed(since), blobs.removed),
    async close() {
      await blobs.close()
      await releaseFolder(folder)
      try {
        await turns.close()
      } catch (cause) {
        if (existsSync(folder.records)) throw cause
        throw new DataFolderError(`The folder ${folder.path} was removed while it was in use`, { cause })
      } finally {
        opened.database.close()
      }
    },
  }
}

function openRecords(database: DatabaseSync, { records: path }: DataFolder, limits: LogLimits | undefined) {
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  // Makes the mark of the database safe before the folder gets files that only the mark identifies.
  if (makeTables(database, schema)) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  touchTables(database)
  const turns = new Turns(database, path)
  return { database, turns, records: new RecordStore(database, turns, limits) }
}

async function reasonFor(error: unknown, folder: DataFolder, database: DatabaseSync | undefined): Promise<unknown> {
  if (isBusy(error)) return new DataFolderError(await describeOwner(folder), { cause: error })
  return database === undefined ? error : namedDamage(database, folder.records, error)
}
