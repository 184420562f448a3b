import { rm } from 'node:fs/promises'
import { isObject } from '../../../src/checks/json.ts'
import { objectOf } from '../../values/codec.ts'
import { count } from '../../values/value-type.ts'
import { openOwn } from '../folder/own-entry.ts'
import { noReserve, type Reserve } from '../folder/reserve.ts'
import { createMapRecords, type RecordMaps } from '../map-records.ts'
import type { LogLimits } from '../map-requests.ts'
import type { RecordStore } from '../record-store.ts'
import { type RequestRecord, storedJson, uploadRecord } from '../records.ts'
import { requestRecord } from '../request-records.ts'
import { createCommits } from './commits.ts'
import { makeTables } from './schema.ts'
import type { SqlDatabase } from './sql-database.ts'
import { jsonTable, type SqliteContext, StoredMap } from './stored-map.ts'
import { createTurnFile } from './turn-file.ts'

/** Requests remembered while none can be written; beyond it the oldest are forgotten. */
const mostUnwritten = 1_000

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
  const log = await openOwn(`${path}-wal`, 'update')
  // Makes the database's mark safe before the folder gets files that only the mark identifies.
  await log.datasync()
  const file = await openOwn(`${path}-turns`, 'write')
  const turns = createTurnFile(database, file.fd)
  // SQLite would sync with every commit and block the event loop.
  const commits = createCommits(database, { reserve, turns, sync: () => log.datasync() })
  let stored: ReturnType<typeof storedMaps>
  try {
    stored = storedMaps({ database, commits })
    commits.repeat()
  } catch (error) {
    await Promise.all([file.close(), log.close()])
    throw error
  }
  const { tables, dump, load, refresh } = createMapRecords(stored, limits)
  const { requests } = tables
  commits.onUndone((kind) => {
    if (kind !== 'minor') refresh()
    requests.drop(stored.requests.unwritten().slice(0, -mostUnwritten))
  })

  const store: RecordStore = {
    ...tables,
    requests: {
      ...requests,
      remove(matches) {
        commits.begin('freeing')
        return requests.remove(matches)
      },
    },
    dump,
    load(dump) {
      commits.begin('freeing')
      load(dump)
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
        const isEmpty = commits.settle()
        await file.close()
        if (isEmpty) await rm(`${path}-turns`, { force: true })
        await log.close()
        database.close()
      }
    },
  }
}

/** Records in a database file that only this process uses. */
export type SqliteRecords = Awaited<ReturnType<typeof openSqliteRecords>>

/** Accounts, albums and sessions change rarely and must last; what an undone turn logged, charged and assigned stays so. */
function storedMaps(context: SqliteContext): RecordMaps & { readonly requests: StoredMap<number, RequestRecord> } {
  const { accounts, albums, quotas, sessions } = storedJson
  return {
    accounts: new StoredMap(context, jsonTable('accounts', 'id', 'record', accounts, { change: 'lasting' })),
    albums: new StoredMap(context, jsonTable('albums', 'id', 'record', albums, { change: 'lasting' })),
    // The column takes the number's text as the number.
    lastIds: new StoredMap(context, jsonTable('last_ids', 'kind', 'id', count, { isRepeated: true })),
    uploads: new StoredMap(context, {
      table: 'uploads',
      key: 'id',
      name: 'slug',
      columns: ['slug', 'account_id', 'created_at', 'blob_id', 'rest'],
      write({ id: _, slug, accountId, createdAt, blobId, ...rest }) {
        return [slug, accountId, createdAt, blobId, JSON.stringify(rest)]
      },
      // With so many digits a number is read as it was written.
      json: `'{"id":' || id || ',"slug":' || json_quote(slug) || ',"accountId":' || account_id || ',"createdAt":' ||
        iif(typeof(created_at) = 'real', printf('%!.17g', created_at), created_at) || ',"blobId":' ||
        json_quote(blob_id) || ',' || substr(rest, 2)`,
      type: uploadRecord,
      change: ['lasting', 'ordinary', 'freeing'],
    }),
    requests: new StoredMap(context, {
      table: 'requests',
      key: 'id',
      columns: ['account_id', 'rest'],
      // All of it: leaving one field out takes longer than writing the others.
      write: (request) => [request.accountId, JSON.stringify(request)],
      json: `'{"accountId":' || ifnull(account_id, 'null') || ',' || substr(rest, 2)`,
      type: requestRecord,
      isRepeated: true,
    }),
    requestCounts: new StoredMap(context, {
      table: 'request_counts',
      key: 'account_id',
      columns: ['kept', 'dropped'],
      write: ({ kept, dropped }) => [kept, dropped],
      json: `'{"kept":' || kept || ',"dropped":' || dropped || '}'`,
      type: objectOf({ kept: count, dropped: count }),
      isRepeated: true,
    }),
    quotas: new StoredMap(context, jsonTable('quotas', 'key_hash', 'state', quotas, { isRepeated: true })),
    // On a full disk too, since visitors of the website sign in to delete.
    sessions: new StoredMap(context, jsonTable('sessions', 'id_hash', 'session', sessions, { change: 'freeing' })),
    keyValues: new StoredMap(context, jsonTable('notes', 'name', 'value', { isSound: isObject }, { isRepeated: true })),
  }
}
