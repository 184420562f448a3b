import type { FileHandle } from 'node:fs/promises'
import { openOwn } from '../folder/own-file.ts'
import { noReserve, type Reserve } from '../folder/reserve.ts'
import type { RecordStore } from '../record-store.ts'
import { createCommits } from './commits.ts'
import { createLastIds } from './last-ids.ts'
import { bringUpToDate } from './schema.ts'
import { expectSoundRows } from './sound-rows.ts'
import { isDatabaseFailure, type SqlDatabase } from './sql-database.ts'
import { createSqliteAccounts } from './sqlite-accounts.ts'
import { createSqliteNotes } from './sqlite-notes.ts'
import { createSqliteQuotas } from './sqlite-quotas.ts'
import { createSqliteRequestLog } from './sqlite-request-log.ts'
import { createSqliteUploads } from './sqlite-uploads.ts'

/** Records in a database file that belongs to this process alone. */
export interface SqliteRecords extends RecordStore {
  /** Of these blobs, those that a record refers to. */
  usedBlobs(prefix: string): ReadonlySet<string>
  /**
   * Waits until everything is safe, and lets go of the file.
   * @throws Error where it could not be made safe; the file is let go nonetheless
   */
  close(): Promise<void>
}

export interface RecordsOptions {
  /** How many the log holds; as many as the port says unless given. */
  readonly mostKeptRequests?: number | undefined
  /** What they may weigh; as much as the port says unless given. */
  readonly mostKeptRequestBytes?: number | undefined
  /** None unless given. */
  readonly reserve?: Reserve
}

/**
 * Makes records of a database that was taken over, which this then closes.
 * @param path the database's file
 * @throws Error where the disk has no room for it, or a row is damaged
 */
export async function openSqliteRecords(
  database: SqlDatabase,
  path: string,
  { mostKeptRequests, mostKeptRequestBytes, reserve = noReserve }: RecordsOptions = {},
): Promise<SqliteRecords> {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  bringUpToDate(database)
  expectSoundRows(database)
  const log = await openOwn(`${path}-wal`, 'update')
  // The mark is safe before there are files that would be nobody's without it.
  await log.datasync()
  const context = createContext(database, log, reserve)
  const { commits, lastIds } = context
  const accounts = createSqliteAccounts(context)
  const uploads = createSqliteUploads(context)
  const requests = createSqliteRequestLog(context, mostKeptRequests, mostKeptRequestBytes)
  const quotas = createSqliteQuotas(context)

  return {
    accounts,
    uploads,
    requests,
    quotas,
    notes: createSqliteNotes(context),
    dump: () => ({
      accounts: accounts.all(),
      uploads: uploads.all(),
      ...requests.dump(),
      quotas: quotas.all(),
      lastIds: { account: lastIds.get('account'), upload: lastIds.get('upload') },
    }),
    load(dump) {
      commits.write('lasting', () => {
        accounts.load(dump.accounts, dump.lastIds.account)
        uploads.load(dump.uploads)
        commits.afterwards(() => lastIds.set('upload', dump.lastIds.upload))
        requests.load(dump)
        quotas.load(dump.quotas)
      })
    },
    mark: commits.mark,
    settled: commits.settled,
    usedBlobs: createBlobSearch(database),
    async close() {
      try {
        await commits.settled()
      } finally {
        await log.close()
        database.close()
      }
    },
  }
}

function createContext(database: SqlDatabase, log: FileHandle, reserve: Reserve) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const mark = database.prepare('SAVEPOINT action')
  const keep = database.prepare('RELEASE action')
  const revert = database.prepare('ROLLBACK TO action')
  const commits = createCommits({
    begin: () => begin.run(),
    commit: () => commit.run(),
    rollback: () => rollback.run(),
    mark: () => mark.run(),
    keep: () => keep.run(),
    revert() {
      revert.run()
      keep.run()
    },
    isFatal: isDatabaseFailure,
    reserve,
    mend: () => void database.pragma('wal_checkpoint(TRUNCATE)'),
    // What SQLite itself would do with every commit, but beside the event loop, and only where it is needed.
    sync: () => log.datasync(),
  })
  return { database, commits, lastIds: createLastIds(database, commits) }
}

function createBlobSearch(database: SqlDatabase): SqliteRecords['usedBlobs'] {
  const search = database.prepare(
    `SELECT blob_id AS id FROM uploads WHERE blob_id >= ?1 AND blob_id < ?2
    UNION ALL SELECT thumbnail_blob_id FROM uploads WHERE thumbnail_blob_id >= ?1 AND thumbnail_blob_id < ?2`,
  )
  // Ids are hexadecimal, and g comes after all of those digits.
  return (prefix) => new Set(search.all(prefix, `${prefix}g`).map(({ id }) => String(id)))
}
