import type { SqlDatabase } from './sql-database.ts'

/** Few fields are columns, the rest of a record is JSON, so a new field needs no new version. */
const tables = `CREATE TABLE accounts (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE uploads (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    created_at REAL NOT NULL,
    blob_id TEXT,
    rest TEXT NOT NULL
  ) STRICT;
  CREATE TABLE albums (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE requests (id INTEGER PRIMARY KEY, account_id INTEGER, rest TEXT NOT NULL) STRICT;
  CREATE TABLE request_counts (account_id INTEGER PRIMARY KEY, kept INTEGER NOT NULL, dropped INTEGER NOT NULL) STRICT;
  CREATE TABLE last_ids (kind TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE quotas (key_hash TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (id_hash TEXT PRIMARY KEY, session TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`

/** Of the tables above, with the lines of `turn-file.ts`. Folders made before the first release have versions below that of 1.0.0. */
const version = 5
const firstVersion = 3

/** What 1.0.0 has more: it searched the database, where uploads are in memory now. */
const onlyFirst = `DROP TABLE upload_totals; DROP INDEX uploads_slug; DROP INDEX uploads_age; DROP INDEX uploads_latest;
  DROP INDEX uploads_blob; DROP INDEX uploads_thumbnail; DROP INDEX uploads_due;`

const changesOf = (part: string) => `FROM turns, json_each(changes, '$.${part}')`
const take = (table: string) =>
  `REPLACE INTO ${table} SELECT value ->> 0, value ->> 1 ${changesOf(table)} ORDER BY turns.id, key;`

/** Version 4 had a table for what turns changed that its tables did not have yet. */
const onlyFourth = `INSERT INTO requests (account_id, rest)
    SELECT value ->> 'accountId', value ${changesOf('requests')} ORDER BY turns.id, key;
  INSERT INTO request_counts SELECT ifnull(value ->> 'accountId', 0), count(*), 0 ${changesOf('requests')}
    WHERE true GROUP BY 1 ON CONFLICT (account_id) DO UPDATE SET kept = kept + excluded.kept;
  ${take('last_ids')} ${take('notes')} ${take('quotas').replace('value ->> 1', "ifnull(value ->> 1, '')")}
  DELETE FROM quotas WHERE state = ''; DROP TABLE turns;`

/** Identifies a database as the emulator's; an arbitrary number. */
const applicationId = 0x66_68_65_6d

/** Whether a database has no tables. */
export function isEmpty(database: SqlDatabase): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

/**
 * The database's version; 0 if it is empty.
 * @throws Error if it is not an emulator's or was written by a newer release
 */
export function storedVersion(database: SqlDatabase): number {
  const found = Number(database.pragma('user_version'))
  if (!isEmpty(database) && database.pragma('application_id') !== applicationId) {
    throw new Error('it is another program’s database')
  }
  if (found > version) {
    throw new Error(`a newer release wrote it (version ${found}, this one knows ${version}): use that release`)
  }
  if (found > 0 && found < firstVersion) {
    throw new Error(
      `a build before 1.0.0 wrote it (version ${found}, this one knows ${firstVersion} and later): choose another folder`,
    )
  }
  return found
}

/**
 * Gives an empty database its tables, and one of 1.0.0 those of today, in one transaction.
 * @throws Error if it is not an emulator's or was written by a newer release
 */
export function makeTables(database: SqlDatabase): void {
  const found = storedVersion(database)
  if (found === version) return
  const whole = `${tables} PRAGMA application_id = ${applicationId};`
  const steps = found === 0 ? whole : found === firstVersion ? onlyFirst : onlyFourth
  database.run(`BEGIN EXCLUSIVE; ${steps} PRAGMA user_version = ${version}; COMMIT`)
}

/**
 * Locks a database for this process without writing, so it works on a full disk. The lock is SQLite's file lock and
 * ends with the process. Waits half a second: another process may be starting, or a killed one may still be ending.
 *
 * @returns whether the database has any content
 * @throws Error if it is not an emulator's, was written by a newer release, or is in use (see `isBusy`)
 */
export function lockExclusively(database: SqlDatabase): 'empty' | 'used' {
  database.run('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE')
  // In this mode the lock outlives its transaction.
  database.run('BEGIN EXCLUSIVE; COMMIT')
  storedVersion(database)
  return isEmpty(database) ? 'empty' : 'used'
}
