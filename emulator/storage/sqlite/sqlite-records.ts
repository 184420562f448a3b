import type { FileHandle } from 'node:fs/promises'
import { openOwn } from '../folder/own-file.ts'
import { noReserve, type Reserve } from '../folder/reserve.ts'
import type { KeyValueRecords, RecordStore } from '../record-store.ts'
import { createCommits } from './commits.ts'
import { createLastIds } from './last-ids.ts'
import { checkRows } from './row-check.ts'
import { migrate } from './schema.ts'
import { isDatabaseFailure, type SqlDatabase } from './sql-database.ts'
import { createSqliteAccounts } from './sqlite-accounts.ts'
import { createSqliteQuotas } from './sqlite-quotas.ts'
import { createSqliteRequestLog } from './sqlite-request-log.ts'
import { createSqliteUploads, type SqliteContext } from './sqlite-uploads.ts'

/** Records in a database file that only this process uses. */
export interface SqliteRecords extends RecordStore {
  /** The blobs with this prefix that a record refers to. */
  usedBlobs(prefix: string): ReadonlySet<string>
  /**
   * Waits until everything is safe and closes the file.
   * @throws Error if something could not be made safe; the file is closed all the same
   */
  close(): Promise<void>
}

export interface RecordsOptions {
  /** Defaults to {@link maxKeptRequests}. */
  readonly maxKeptRequests?: number | undefined
  /** Defaults to {@link maxKeptRequestBytes}. */
  readonly maxKeptRequestBytes?: number | undefined
  readonly reserve?: Reserve
}

/**
 * Creates records in a locked database, which `close()` closes.
 * @param path the database's file
 * @throws Error if the disk is full or a row is damaged
 */
export async function openSqliteRecords(
  database: SqlDatabase,
  path: string,
  { maxKeptRequests, maxKeptRequestBytes, reserve = noReserve }: RecordsOptions = {},
): Promise<SqliteRecords> {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  migrate(database)
  checkRows(database)
  const log = await openOwn(`${path}-wal`, 'update')
  // Makes the database's mark safe before the folder gets files that only the mark identifies.
  await log.datasync()
  const context = createContext(database, log, reserve)
  const { commits, lastIds } = context
  const accounts = createSqliteAccounts(context)
  const uploads = createSqliteUploads(context)
  const requests = createSqliteRequestLog(context, maxKeptRequests, maxKeptRequestBytes)
  const quotas = createSqliteQuotas(context)

  return {
    accounts,
    uploads,
    requests,
    quotas,
    keyValues: createSqliteKeyValues(context),
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
    flushed: commits.flushed,
    usedBlobs: findUsedBlobs(database),
    async close() {
      try {
        await commits.flushed()
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
    savepoint: () => mark.run(),
    releaseSavepoint: () => keep.run(),
    rollbackToSavepoint() {
      revert.run()
      keep.run()
    },
    isFatal: isDatabaseFailure,
    reserve,
    mend: () => void database.pragma('wal_checkpoint(TRUNCATE)'),
    // SQLite would sync with every commit and block the event loop.
    sync: () => log.datasync(),
  })
  return { database, commits, lastIds: createLastIds(database, commits) }
}

function findUsedBlobs(database: SqlDatabase): SqliteRecords['usedBlobs'] {
  const search = database.prepare(
    `SELECT blob_id AS id FROM uploads WHERE blob_id >= ?1 AND blob_id < ?2
    UNION ALL SELECT thumbnail_blob_id FROM uploads WHERE thumbnail_blob_id >= ?1 AND thumbnail_blob_id < ?2`,
  )
  // Ids are hexadecimal, and `g` sorts after `f`.
  return (prefix) => new Set(search.all(prefix, `${prefix}g`).map(({ id }) => String(id)))
}

function createSqliteKeyValues({ database, commits }: SqliteContext): KeyValueRecords {
  const putRow = database.prepare('REPLACE INTO notes (name, value) VALUES (?, ?)')
  /** Set since the last successful commit. */
  const uncommitted = new Map<string, unknown>()
  commits.onCommit(() => {
    for (const [name, value] of uncommitted) putRow.run(name, JSON.stringify(value))
  })
  commits.onCommitted(() => uncommitted.clear())
  const getRow = database.prepare('SELECT value FROM notes WHERE name = ?')
  return {
    get(name) {
      if (uncommitted.has(name)) return uncommitted.get(name)
      const row = getRow.get(name)
      return row === undefined ? undefined : JSON.parse(String(row['value']))
    },
    put(name, value) {
      uncommitted.set(name, value)
      commits.write('minor', () => {})
    },
  }
}
