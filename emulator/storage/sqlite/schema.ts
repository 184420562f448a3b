import type { SqlDatabase } from './sql-database.ts'

/**
 * The changes of each database version; a released version never changes. Only searched fields are columns, the rest of
 * a record is JSON, so a new field needs no new version.
 */
const versions: readonly string[] = [
  `CREATE TABLE accounts (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE TABLE uploads (
    -- Not INTEGER, which would make it the row's own number; by that and an instant together no index can be searched.
    id INT PRIMARY KEY,
    slug TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    created_at REAL NOT NULL,
    blob_id TEXT,
    thumbnail_blob_id TEXT,
    thumbnail_due_at REAL,
    rest TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX uploads_slug ON uploads (slug);
  CREATE INDEX uploads_age ON uploads (account_id, created_at, id);
  CREATE INDEX uploads_blob ON uploads (blob_id) WHERE blob_id IS NOT NULL;
  CREATE INDEX uploads_thumbnail ON uploads (thumbnail_blob_id) WHERE thumbnail_blob_id IS NOT NULL;
  CREATE INDEX uploads_due ON uploads (thumbnail_due_at) WHERE thumbnail_due_at IS NOT NULL;
  CREATE TABLE upload_totals (account_id INTEGER PRIMARY KEY, totals TEXT NOT NULL) STRICT;
  CREATE TABLE requests (id INTEGER PRIMARY KEY, account_id INTEGER, rest TEXT NOT NULL) STRICT;
  CREATE TABLE request_counts (account_id INTEGER PRIMARY KEY, kept INTEGER NOT NULL, dropped INTEGER NOT NULL) STRICT;
  CREATE TABLE last_ids (kind TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE quotas (key_hash TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  'CREATE TABLE sessions (id_hash TEXT PRIMARY KEY, session TEXT NOT NULL) STRICT, WITHOUT ROWID;',
  // Until then an account had only the number of its albums, as large as anyone had set it. A row that is not JSON stays
  // as it is, for the check of the rows to name.
  `CREATE TABLE albums (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;
  CREATE INDEX uploads_latest ON uploads (created_at, id);
  WITH RECURSIVE
    numbers (account_id, albums) AS (
      SELECT id, CASE WHEN json_valid(record) THEN json_extract(record, '$.albums') END FROM accounts
    ),
    counted (account_id, number, albums) AS (
      SELECT account_id, 1, min(albums, 10000) FROM numbers WHERE albums > 0
      UNION ALL SELECT account_id, number + 1, albums FROM counted WHERE number < albums
    ),
    numbered (id, account_id, number) AS (
      SELECT row_number() OVER (ORDER BY account_id, number), account_id, number FROM counted
    )
  INSERT INTO albums SELECT id, json_object(
    'id', id, 'accountId', account_id, 'name', 'Album ' || number, 'uploads', json_array()
  ) FROM numbered;
  UPDATE accounts SET record = json_remove(record, '$.albums') WHERE json_valid(record);
  INSERT INTO last_ids SELECT 'album', max(id) FROM albums HAVING max(id) > 0;`,
]

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
  const version = Number(database.pragma('user_version'))
  if (!isEmpty(database) && database.pragma('application_id') !== applicationId) {
    throw new Error('it is another program’s database')
  }
  if (version > versions.length) {
    throw new Error(
      `a newer release wrote it (version ${version}, this one knows ${versions.length}): use that release`,
    )
  }
  return version
}

/**
 * Brings a database to the newest version in one transaction.
 * @throws Error if it is not an emulator's or was written by a newer release
 */
export function migrate(database: SqlDatabase): void {
  const version = storedVersion(database)
  database.run('BEGIN EXCLUSIVE')
  for (const step of versions.slice(version)) database.run(step)
  database.run(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${versions.length}; COMMIT`)
}

/**
 * Locks a database for this process without writing, so it works on a full disk. The lock is SQLite's file lock and
 * ends with the process. Waits half a second: another process may be starting, or a killed one may still be ending.
 *
 * @returns whether the database has any content
 * @throws Error if it is not an emulator's, was written by a newer release, or is in use (see `isBusy`)
 */
export function lockExclusively(database: SqlDatabase): 'empty' | 'used' {
  // Run as a script: a statement of libsql would keep the file open after a refusal, until it is garbage-collected.
  database.run('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE')
  // In this mode the lock outlives its transaction.
  database.run('BEGIN EXCLUSIVE; COMMIT')
  storedVersion(database)
  return isEmpty(database) ? 'empty' : 'used'
}
