import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { sweepBlobs, sweepDrafts } from './blob-sweep.ts'
import { createFileBlobs } from './file-blobs.ts'
import {
  claimFolder,
  type DataFolder,
  DataFolderError,
  dataFolder,
  describeOwner,
  furnishFolder,
  leaveFolder,
  refuseLostRecords,
} from './folder/data-folder.ts'
import { createFileFirstKey, type FirstKey } from './folder/first-key.ts'
import { folderTrouble } from './folder/folder-error.ts'
import { createReserve, type Reserve } from './folder/reserve.ts'
import { takeOver } from './sqlite/exclusive-lock.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { isBusy } from './sqlite/sql-database.ts'
import { openSqliteRecords, type SqliteRecords } from './sqlite/sqlite-records.ts'
import type { Storage } from './storage.ts'

/**
 * Opens the folder that holds everything; it is made where there is none. A process that was killed needs no repair:
 * its lock went with it, and what it had not finished is swept away.
 *
 * @throws DataFolderError where the folder is in use, is somebody else's or was written by a newer release; Error saying
 * what to install where there is no SQLite
 */
export async function openDurableStorage(path: string): Promise<Storage> {
  const folder = dataFolder(resolve(path))
  await claimFolder(folder).catch((error: unknown) => {
    throw unusable(folder, error)
  })
  const reserve = createReserve(join(folder.incoming, randomBytes(16).toString('hex')))
  const records = await openRecords(folder, reserve)
  let firstKey: FirstKey
  try {
    await furnishFolder(folder)
    await sweepBlobs(folder, records.usedBlobs)
    firstKey = createFileFirstKey(folder.firstKey)
  } catch (error) {
    await records.close()
    throw unusable(folder, error)
  }
  const blobs = createFileBlobs({ folder: folder.blobs, incoming: folder.incoming, settled: records.settled, reserve })
  return {
    records,
    blobs,
    firstKey,
    async settled(since) {
      await records.settled(since)
      await blobs.removed()
    },
    async close() {
      await blobs.close()
      reserve.release()
      await leaveFolder(folder)
      await records.close()
    },
  }
}

async function openRecords(folder: DataFolder, reserve: Reserve): Promise<SqliteRecords> {
  const database = await openSqlite(folder.records).catch((error: unknown) => {
    throw unusable(folder, error)
  })
  try {
    if (takeOver(database) === 'empty') await refuseLostRecords(folder)
    await sweepDrafts(folder)
    return await openSqliteRecords(database, folder.records, { reserve })
  } catch (error) {
    const reason = isBusy(error) ? new DataFolderError(await describeOwner(folder), { cause: error }) : error
    try {
      database.close()
    } catch {
      // A database that could not be opened need not be closable.
    }
    throw unusable(folder, reason)
  }
}

/** What to say where a folder cannot be used. */
export function unusable({ path }: Pick<DataFolder, 'path'>, error: unknown): Error {
  if (error instanceof DataFolderError) return error
  return new DataFolderError(`The folder ${path} cannot be used: ${folderTrouble(path, error)}`, { cause: error })
}
