import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { andThen } from '../values/soon.ts'
import { createFileBlobs, removeDrafts, removeOrphanedBlobs } from './file-blobs.ts'
import {
  claimFolder,
  type DataFolder,
  DataFolderError,
  dataFolder,
  describeOwner,
  prepareFolder,
  refuseMissingRecords,
  releaseFolder,
} from './folder/data-folder.ts'
import { createFileFirstKey, type FirstKey } from './folder/first-key.ts'
import { createReserve, type Reserve } from './folder/reserve.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { lockExclusively } from './sqlite/schema.ts'
import { isBusy, type SqlDatabase } from './sqlite/sql-database.ts'
import { openSqliteRecords, type SqliteRecords } from './sqlite/sqlite-records.ts'
import type { Storage } from './storage.ts'

/**
 * Opens a data folder, creating it if needed. After a killed process nothing needs repair: its lock ended with it, and
 * its unfinished files are removed.
 *
 * @throws DataFolderError if the folder is in use, belongs to something else or was written by a newer release
 */
export async function openDurableStorage(path: string): Promise<Storage> {
  const folder = dataFolder(resolve(path))
  await claimFolder(folder).catch((error: unknown) => {
    throw unusableFolder(folder, error)
  })
  const reserve = createReserve(join(folder.incoming, randomBytes(16).toString('hex')))
  const records = await openRecords(folder, reserve)
  let firstKey: FirstKey
  try {
    await prepareFolder(folder)
    await removeOrphanedBlobs(folder.blobs, records.uploads.blobIds())
    firstKey = createFileFirstKey(folder.firstKey)
  } catch (error) {
    await records.close()
    throw unusableFolder(folder, error)
  }
  const blobs = createFileBlobs({ folder: folder.blobs, incoming: folder.incoming, flushed: records.flushed, reserve })
  return {
    records,
    blobs,
    firstKey,
    isDurable: true,
    flushed: (since, of) => andThen(records.flushed(since, of), blobs.removed),
    async close() {
      await blobs.close()
      reserve.release()
      await releaseFolder(folder)
      await records.close().catch((cause: unknown) => {
        if (!reserve.isGone()) throw cause
        throw new DataFolderError(`The folder ${folder.path} was removed while it was in use`, { cause })
      })
    },
  }
}

async function openRecords(folder: DataFolder, reserve: Reserve): Promise<SqliteRecords> {
  let database: SqlDatabase | undefined
  try {
    database = openSqlite(folder.records)
    if (lockExclusively(database) === 'empty') await refuseMissingRecords(folder)
    await removeDrafts(folder.incoming)
    return await openSqliteRecords(database, folder.records, { reserve })
  } catch (error) {
    const reason = isBusy(error) ? new DataFolderError(await describeOwner(folder), { cause: error }) : error
    try {
      database?.close()
    } catch {
      // A database that failed to open may also fail to close.
    }
    throw unusableFolder(folder, reason)
  }
}

export function unusableFolder({ path }: Pick<DataFolder, 'path'>, error: unknown): Error {
  if (error instanceof DataFolderError) return error
  return new DataFolderError(`The folder ${path} cannot be used: ${folderErrorText(path, error)}`, { cause: error })
}

/** Clearer than the system's words, for folders. */
const plainReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it, or part of its path, is not a folder',
  ENOENT: 'no folder can be created there',
}

/**
 * Why a folder cannot be used: the system's words without Node's error code and call, and the path if it is inside the
 * folder.
 */
function folderErrorText(path: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno = 0, path: place = path }: NodeJS.ErrnoException = error
  const known = getSystemErrorMap().get(errno)
  if (known === undefined) return error.message
  const [code, words] = known
  return `${place === path ? '' : `${place}: `}${plainReasons[code] ?? words}; choose another folder, or fix this`
}
