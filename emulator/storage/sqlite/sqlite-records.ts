import { quoted } from '../../../src/checks/quoted.ts'
import type { BlobUse } from '../file-blobs.ts'
import { openOwn } from '../folder/own-entry.ts'
import { noReserve, type Reserve } from '../folder/reserve.ts'
import { createMapRecords, type RecordMaps } from '../map-records.ts'
import type { LogLimits, RecordStore } from '../record-store.ts'
import { createCommits } from './commits.ts'
import { restoreAdvice } from './damage.ts'
import { checkRows } from './row-check.ts'
import { makeTables } from './schema.ts'
import type { SqlDatabase } from './sql-database.ts'
import { createSqliteRequestLog } from './sqlite-request-log.ts'
import { createSqliteUploads } from './sqlite-uploads.ts'
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
  const uploads = createSqliteUploads(context, maps)
  const requests = createSqliteRequestLog(context, maps.requestCounts, limits)

  const store: RecordStore = {
    ...maps.tables,
    uploads,
    requests,
    dump: () => ({ ...maps.dump(), uploads: uploads.all(), ...requests.dump() }),
    load(dump) {
      commits.write('freeing', () => {
        uploads.load(dump.uploads)
        requests.load(dump)
        commits.afterwards(() => maps.load(dump))
      })
    },
    mark: commits.mark,
    flushed: commits.flushed,
  }
  return {
    ...store,
    ...blobSearch(database),
    /**
     * Waits until everything is safe and closes the file.
     * @throws Error if something could not be made safe; the file is closed all the same
     */
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

/** Records in a database file that only this process uses. */
export type SqliteRecords = Awaited<ReturnType<typeof openSqliteRecords>>

/** Accounts, albums and sessions change rarely and must last; charges and last ids of an undone turn stay charged and assigned. */
function storedMaps(context: SqliteContext): RecordMaps {
  return {
    accounts: new StoredMap(context, jsonTable('accounts', 'id', 'record', { change: 'lasting' })),
    albums: new StoredMap(context, jsonTable('albums', 'id', 'record', { change: 'lasting' })),
    // The column takes the number's text as the number.
    lastIds: new StoredMap(context, jsonTable('last_ids', 'kind', 'id', { isRepeated: true })),
    uploadTotals: new StoredMap(context, jsonTable('upload_totals', 'account_id', 'totals')),
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

function blobSearch(database: SqlDatabase): BlobUse {
  // In hexadecimal: what a damaged index has may not be text.
  const search = database.prepare(
    `SELECT hex(blob_id) AS id FROM uploads WHERE blob_id >= ?1 AND blob_id < ?2
    UNION ALL SELECT hex(thumbnail_blob_id) FROM uploads WHERE thumbnail_blob_id >= ?1 AND thumbnail_blob_id < ?2`,
  )
  const users = database.prepare(
    `WITH ids AS MATERIALIZED (SELECT value FROM json_each(?1))
    SELECT slug FROM uploads NOT INDEXED WHERE blob_id IN ids OR thumbnail_blob_id IN ids LIMIT 1`,
  )
  return {
    // Ids are hexadecimal, and `g` sorts after `f`.
    usedBlobs: (prefix) =>
      new Set(search.all(prefix, `${prefix}g`).map(({ id }) => Buffer.from(String(id), 'hex').toString())),
    expectUnused(blobIds) {
      const user = users.get(JSON.stringify(blobIds))
      if (user === undefined) return
      const upload = `the upload ${quoted(user['slug'])}`
      throw new Error(`its records.db is damaged: an index lacks the file of ${upload}; ${restoreAdvice}`)
    },
  }
}
