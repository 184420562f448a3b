import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { type DatabaseOptions, openDatabase, orStoreError } from './sqlite.ts'
import { StoreError } from './store-error.ts'

/** Of uploads.db. A claim is a row of `item`: its unique index refuses a second one on the same content. */
export const uploadTables: DatabaseOptions = {
  version: 1,
  synchronous: 'FULL',
  journal: 'TRUNCATE',
  schema: `
CREATE TABLE account (
  id INTEGER PRIMARY KEY, address TEXT NOT NULL, key_hash TEXT NOT NULL, UNIQUE (address, key_hash)
) STRICT;
-- All times are epoch milliseconds.
CREATE TABLE run (name TEXT PRIMARY KEY, pid INTEGER NOT NULL, since REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE item (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account INTEGER NOT NULL REFERENCES account,
  run TEXT,                           -- null once its run does not look for it any more
  state TEXT NOT NULL CHECK (state IN ('claimed', 'sending', 'looking', 'unknown')),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT,                        -- null until it is known
  is_forced INTEGER NOT NULL,
  is_awaited INTEGER NOT NULL DEFAULT 0,
  mime_type TEXT,
  attempt TEXT,
  at REAL NOT NULL,
  ended_at REAL
) STRICT;
CREATE UNIQUE INDEX item_claim ON item (account, sha256) WHERE is_forced = 0 AND sha256 IS NOT NULL;
CREATE INDEX item_size ON item (account, size);
CREATE INDEX item_run ON item (run);
CREATE TABLE upload (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account INTEGER NOT NULL REFERENCES account,
  slug TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,               -- empty where it was not hashed
  name TEXT NOT NULL,
  mime_type TEXT,                     -- as it was sent
  is_kept INTEGER,                    -- whether the service stored it as it was sent; null where that is not known
  at REAL NOT NULL,
  seen_at REAL NOT NULL,
  is_listed INTEGER NOT NULL,         -- whether a list or a page has shown it
  run TEXT,                           -- that stored or saw it last
  deleter TEXT,                       -- the run that asks the service to delete it
  shown TEXT,                         -- the upload, while it is fresh
  UNIQUE (account, slug)
) STRICT;
CREATE INDEX upload_content ON upload (account, size, sha256);
CREATE INDEX upload_kept ON upload (account, mime_type, is_kept) WHERE is_kept IS NOT NULL;
CREATE INDEX upload_shown ON upload (seen_at) WHERE shown IS NOT NULL;
CREATE TABLE leaving (account INTEGER NOT NULL, run TEXT NOT NULL, PRIMARY KEY (account, run)) STRICT, WITHOUT ROWID`,
}

type Row = Readonly<Record<string, SQLInputValue>>

/** All rows that can be read; of a damaged table those before and those behind the damage. */
function* rowsOf(database: DatabaseSync, table: string, where: string): Iterable<Row> {
  const orders = table === 'item' || table === 'upload' ? ['ORDER BY seq', 'ORDER BY seq DESC'] : ['']
  for (const order of orders) {
    try {
      yield* database.prepare(`SELECT * FROM ${table} ${where} ${order}`).iterate() as Iterable<Row>
      return
    } catch {
      // The other end may be whole.
    }
  }
}

/**
 * Copies all rows that can be read, and those of one run alone where it is named. What is there already stays.
 * @returns the number of uploads
 */
export function copyRows(from: DatabaseSync, to: DatabaseSync, run?: string): number {
  const accounts = new Map<SQLInputValue, number>()
  for (const row of rowsOf(from, 'account', '')) accounts.set(row['id'] ?? 0, accountIn(to, row))
  const ofRun = (column: string) => (run === undefined ? '' : `WHERE ${column} = '${run.replace(/[^\w-]/g, '')}'`)
  for (const row of rowsOf(from, 'run', ofRun('name'))) insert(to, 'run', row)
  let uploads = 0
  for (const table of ['item', 'upload', 'leaving']) {
    for (const { seq: _, ...row } of rowsOf(from, table, ofRun('run'))) {
      const { changes } = insert(to, table, { ...row, account: accounts.get(row['account'] ?? 0) ?? 0 })
      if (table === 'upload') uploads += Number(changes)
    }
  }
  return uploads
}

/** The row of an account, which is made where it is missing. */
export function accountIn(database: DatabaseSync, { address = '', key_hash = '' }: Row): number {
  const find = database.prepare('SELECT id FROM account WHERE address = ? AND key_hash = ?')
  const found = find.get(address, key_hash)
  if (found !== undefined) return Number(found['id'])
  const { lastInsertRowid } = insert(database, 'account', { address, key_hash })
  return Number(lastInsertRowid)
}

function insert(database: DatabaseSync, table: string, row: Row) {
  const names = Object.keys(row)
  const places = names.map(() => '?').join(', ')
  const statement = database.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${places})`)
  return statement.run(...Object.values(row))
}

/** Whether all of a database can be read. */
export function isWhole(path: string): boolean {
  try {
    const database = openDatabase(path, uploadTables)
    try {
      return orStoreError(path, () => Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0] === 'ok')
    } finally {
      database.close()
    }
  } catch (error) {
    // Not known to be damaged.
    return !(error instanceof StoreError) || error.failure !== 'damaged'
  }
}
