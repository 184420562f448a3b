import { openOwn } from '../folder/own-entry.ts'
import { noReserve, type Reserve } from '../folder/reserve.ts'
import { createMapRecords, type RecordMaps } from '../map-records.ts'
import type { LogLimits, RecordStore } from '../record-store.ts'
import { createCommits } from './commits.ts'
import { checkRows } from './row-check.ts'
import { makeTables } from './schema.ts'
import type { SqlDatabase } from './sql-database.ts'
import { createSqliteRequestLog } from './sqlite-request-log.ts'
import { jsonTable, type SqliteContext, StoredMap } from './stored-map.ts'

/**
 * Creates records in a locked database, which `close()` closes.
 * @param path the database's file
 * @throws Error if the disk is full or a row is damaged
 */
export async function openSqliteRecords(
  database: SqlDatabase,
  path: string,
  { reserve = noReserve, ...limits }: LogLimits & { readonly reserve?: Reserve } = {},
) {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  // Overwrites what is replaced in a page: the digest of a password must not stay in the file beside its scrypt hash.
  database.pragma('secure_delete = FAST')
  makeTables(database)
  checkRows(database)
  const log = await openOwn(`${path}-wal`, 'update')
  // Makes the database's mark safe before the folder gets files that only the mark identifies.
  await log.datasync()
  // SQLite would sync with every commit and block the event loop.
  const commits = createCommits(database, { reserve, sync: () => log.datasync() })
  const context = { database, commits }
  const maps = createMapRecords(storedMaps(context))
  commits.onUndone(maps.refresh)
  const requests = createSqliteRequestLog(context, maps.requestCounts, limits)
  commits.repeat()

  const store: RecordStore = {
    ...maps.tables,
    requests,
    dump: () => ({ ...maps.dump(), ...requests.dump() }),
    load(dump) {
      requests.load(dump)
      maps.load(dump)
    },
    mark: commits.mark,
    flushed: commits.flushed,
  }
  return {
    ...store,
    /**
     * Waits until everything is safe and closes the file.
     * @throws Error if something could not be made safe; the file is closed all the same
     */
    async close() {
      try {
        await commits.flushed()
      } finally {
        commits.settle()
        await log.close()
        database.close()
      }
    },
  }
}

/** Records in a database file that only this process uses. */
export type SqliteRecords = Awaited<ReturnType<typeof openSqliteRecords>>

/** Accounts, albums and sessions change rarely and must last; charges and last ids of an undone turn stay charged and assigned. */
function storedMaps(context: SqliteContext): RecordMaps {
  return {
    accounts: new StoredMap(context, jsonTable('accounts', 'id', 'record', { change: 'lasting' })),
    albums: new StoredMap(context, jsonTable('albums', 'id', 'record', { change: 'lasting' })),
    // The column takes the number's text as the number.
    lastIds: new StoredMap(context, jsonTable('last_ids', 'kind', 'id', { isRepeated: true })),
    uploads: new StoredMap(context, {
      table: 'uploads',
      key: 'id',
      columns: ['slug', 'account_id', 'created_at', 'blob_id', 'rest'],
      write({ id: _, slug, accountId, createdAt, blobId, ...rest }) {
        return [slug, accountId, createdAt, blobId, JSON.stringify(rest)]
      },
      read({ id, slug, account_id: accountId, created_at: createdAt, blob_id: blobId, rest }) {
        return { id, slug, accountId, createdAt, blobId, ...JSON.parse(String(rest)) }
      },
      change: ['lasting', 'ordinary', 'freeing'],
    }),
    requestCounts: new StoredMap(context, {
      table: 'request_counts',
      key: 'account_id',
      columns: ['kept', 'dropped'],
      write: ({ kept, dropped }) => [kept, dropped],
      read: ({ kept, dropped }) => ({ kept: Number(kept), dropped: Number(dropped) }),
    }),
    quotas: new StoredMap(context, jsonTable('quotas', 'key_hash', 'state', { isRepeated: true })),
    // On a full disk too, since visitors of the website sign in to delete.
    sessions: new StoredMap(context, jsonTable('sessions', 'id_hash', 'session', { change: 'freeing' })),
    keyValues: new StoredMap(context, jsonTable('notes', 'name', 'value', { isRepeated: true })),
  }
}
