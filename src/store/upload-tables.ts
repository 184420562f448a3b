import type { DatabaseOptions } from './sqlite.ts'

/** Of uploads.db. A claim is a row of `item`: its unique index refuses a second one on the same content. */
export const uploadTables: DatabaseOptions = {
  version: 2,
  synchronous: 'FULL',
  schema: `
-- An account is named by the hash of its address and key. All times are epoch milliseconds.
CREATE TABLE account (key_hash TEXT PRIMARY KEY, address TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE item (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
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
CREATE TABLE upload (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account TEXT NOT NULL,
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
  shown TEXT,                         -- the upload, while it is fresh
  UNIQUE (account, slug)
) STRICT;
CREATE INDEX upload_content ON upload (account, size, sha256);
CREATE INDEX upload_kept ON upload (account, mime_type, is_kept) WHERE is_kept IS NOT NULL;
CREATE INDEX upload_shown ON upload (seen_at) WHERE shown IS NOT NULL`,
}
