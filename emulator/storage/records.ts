import { hash } from 'node:crypto'
import type {
  AccountChanges,
  AccountRecord,
  RecordDump,
  SessionRecord,
  UploadChanges,
  UploadRecord,
  UploadTotals,
} from './record-types.ts'
import { RequestLog, requestsSchema } from './request-log.ts'
import type { Database, Row } from './turn.ts'

/** Columns after `record` are fields of it. `directViews` are those of the files themselves; the sums follow by themselves. */
const uploadsSchema = `
CREATE TABLE uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL,
  slug TEXT AS (record ->> 'slug') STORED UNIQUE, accountId INTEGER AS (record ->> 'accountId'),
  createdAt REAL AS (record ->> 'createdAt'), blob_id TEXT AS (record ->> 'blobId'),
  sha256 TEXT AS (record ->> 'sha256'), sizeBytes INTEGER AS (record ->> 'sizeBytes'),
  directViews INTEGER AS (max((record ->> 'views') - ifnull(record ->> 'indirectViews', 0), 0)),
  thumbnailId TEXT AS (record ->> '$.thumbnail.blobId'), dueAt REAL AS (record ->> '$.thumbnail.dueAt')) STRICT;
CREATE INDEX uploadsByAge ON uploads (accountId, createdAt, id);
CREATE INDEX uploadsByContent ON uploads (accountId, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX uploadsByBlob ON uploads (blob_id) WHERE blob_id IS NOT NULL;
CREATE INDEX uploadsByThumbnail ON uploads (thumbnailId) WHERE thumbnailId IS NOT NULL;
CREATE INDEX uploadsDue ON uploads (dueAt) WHERE dueAt IS NOT NULL;
CREATE TABLE totals (accountId INTEGER PRIMARY KEY, uploads INTEGER NOT NULL, views INTEGER NOT NULL,
  bytes INTEGER NOT NULL) STRICT;
CREATE TRIGGER uploadAdded AFTER INSERT ON uploads BEGIN
  INSERT INTO totals VALUES (NEW.accountId, 1, NEW.directViews, NEW.sizeBytes) ON CONFLICT DO UPDATE
    SET uploads = uploads + 1, views = views + excluded.views, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER uploadViewed AFTER UPDATE ON uploads WHEN NEW.directViews <> OLD.directViews BEGIN
  UPDATE totals SET views = views + NEW.directViews - OLD.directViews WHERE accountId = NEW.accountId;
END;
CREATE TRIGGER uploadRemoved AFTER DELETE ON uploads BEGIN
  UPDATE totals SET uploads = uploads - 1, views = views - OLD.directViews, bytes = bytes - OLD.sizeBytes
    WHERE accountId = OLD.accountId;
END;`

/** A `record` is JSON, so that a new field needs no new version. No id is given twice, not after a deletion either. */
export const schema = `
CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT;
CREATE TABLE notes (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
${uploadsSchema}
${requestsSchema}
INSERT INTO sqlite_sequence VALUES ('accounts', 0), ('uploads', 0);`

/**
 * Everything except file bytes. Every call is synchronous, so that steps that belong together (checking and charging a
 * quota, adding and counting an upload) need no lock. Changes made without awaiting in between become durable together
 * or not at all, such as an upload and its log entry. Clients learn of a change only after {@link Database.flushed}.
 */
export class RecordStore {
  /** When what was written is kept. */
  readonly turns: Pick<Database, 'flushed'>
  readonly #database: Database
  readonly accounts
  readonly uploads
  readonly requests
  /** The emulator's own data that survives a restart, JSON values by name; of a dump only the sessions are part. */
  readonly notes = {
    get: (name: string): unknown => {
      const row = this.#database.get('SELECT record FROM notes WHERE id = ?', name)
      return row && JSON.parse(String(row['record']))
    },
    set: (name: string, value: unknown) =>
      void this.#database.write('REPLACE INTO notes VALUES (?, ?)', name, JSON.stringify(value)),
  }
  /**
   * The first account's key, which is shown at every start: the developer's own, and no secret. Of others only hashes are
   * stored (spec 1).
   */
  readonly firstKey = {
    get: () => this.notes.get('first_key') as string | undefined,
    set: (key: string) => this.notes.set('first_key', key),
  }

  /** Browsers that are signed in: few, and changed as a whole. */
  readonly sessions = {
    all: () => (this.notes.get('sessions') ?? []) as readonly SessionRecord[],
    replace: (sessions: readonly SessionRecord[]) => this.notes.set('sessions', sessions),
  }

  constructor(database: Database) {
    this.turns = database
    this.#database = database
    this.accounts = accountsTable(database)
    this.uploads = new UploadsTable(database)
    this.requests = new RequestLog(database)
    database.onUndone = () => this.#reload()
  }

  /** Reads again what is held in memory. */
  #reload(): void {
    this.accounts.reload()
    this.uploads.forget()
    this.requests.reload()
  }

  /** A copy of all records. */
  dump(): RecordDump {
    return {
      accounts: this.accounts.all(),
      uploads: this.uploads.all(),
      requests: this.requests.select(),
      usage: this.requests.usage(),
      sessions: this.sessions.all().toSorted((one, other) => (one.idHash < other.idHash ? -1 : 1)),
      lastIds: {
        account: this.#database.lastId('accounts'),
        upload: this.#database.lastId('uploads'),
        request: this.requests.state().last,
      },
    }
  }

  /** Replaces all records by a dump, whose ids go on, or by none. */
  load(dump: RecordDump | undefined): void {
    for (const table of ['accounts', 'uploads', 'requests', 'usage']) this.#database.write(`DELETE FROM ${table}`)
    this.#database.write('UPDATE sqlite_sequence SET seq = 0')
    this.#reload()
    this.sessions.replace(dump?.sessions ?? [])
    if (dump === undefined) return
    for (const account of dump.accounts.toSorted((one, other) => one.id - other.id)) this.accounts.put(account)
    for (const upload of dump.uploads) this.uploads.insert(upload)
    this.requests.load(dump)
    const { account, upload } = dump.lastIds
    for (const [table, last] of Object.entries({ accounts: account, uploads: upload })) {
      this.#database.write('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?', last, table)
    }
  }
}

/** By which records name a key. Keys are long random texts, so one round of a fast digest is enough. */
export function hashOfKey(apiKey: string): string {
  return hash('sha256', apiKey)
}

/**
 * All accounts are in memory too: every request looks for that of its key, and gets the same record, so that its allowlist
 * is compiled once.
 */
function accountsTable(database: Database) {
  const byId = new Map<number, AccountRecord>()
  const idsByKey = new Map<string, number>()

  const hold = (account: AccountRecord) => {
    // Its key may be another than before.
    idsByKey.delete(byId.get(account.id)?.keyHash ?? '')
    byId.set(account.id, account)
    idsByKey.set(account.keyHash, account.id)
    return account
  }

  /** With its id, as a dump has it. */
  const put = (account: AccountRecord): AccountRecord => {
    database.write('REPLACE INTO accounts VALUES (?, ?)', account.id, JSON.stringify(account))
    return hold(account)
  }

  const reload = () => {
    byId.clear()
    idsByKey.clear()
    for (const { record } of database.all('SELECT record FROM accounts ORDER BY id')) hold(JSON.parse(String(record)))
  }
  reload()

  return {
    put,
    get: (id: number) => byId.get(id),
    hasKey: ({ id, keyHash }: Pick<AccountRecord, 'id' | 'keyHash'>) => byId.get(id)?.keyHash === keyHash,
    findByKey(apiKey: string): AccountRecord | undefined {
      return byId.get(idsByKey.get(hashOfKey(apiKey)) ?? 0)
    },
    insert: (account: Omit<AccountRecord, 'id'>) => put({ id: database.lastId('accounts') + 1, ...account }),
    /** In order of id. */
    all: (): readonly AccountRecord[] => [...byId.values()],
    update(id: number, changes: AccountChanges): AccountRecord | undefined {
      const account = byId.get(id)
      return account && put({ ...account, ...changes })
    },
    remove(id: number): AccountRecord | undefined {
      const account = byId.get(id)
      if (account === undefined) return undefined
      database.write('DELETE FROM accounts WHERE id = ?', id)
      idsByKey.delete(account.keyHash)
      byId.delete(id)
      return account
    },
    /** Call when the table was changed from elsewhere. */
    reload,
  }
}

/** Without an id it gets the next. */
export type NewUpload = Omit<UploadRecord, 'id'> & { readonly id?: number }

const newestFirst = 'ORDER BY createdAt DESC, id DESC'

/** To an upload that is not much farther back than this, SQLite walks in some microseconds. */
const near = 256

/** Uploads, found by slug, account and age, and the sums of each account's. */
class UploadsTable {
  readonly #database: Database
  /** Ids of an account's uploads, the oldest first, once it was asked for those far back, to which SQLite would walk. */
  readonly #idsByAge = new Map<number, number[]>()

  constructor(database: Database) {
    this.#database = database
  }

  #many(where: string, ...values: readonly (string | number)[]): readonly UploadRecord[] {
    return this.#database.all(`SELECT id, record FROM uploads ${where}`, ...values).map(uploadOf)
  }

  /** @returns undefined if the slug is taken */
  insert({ id, ...upload }: NewUpload): UploadRecord | undefined {
    const add = 'INSERT INTO uploads (id, record) VALUES (?, ?) ON CONFLICT (slug) DO NOTHING'
    const { changes, lastInsertRowid } = this.#database.write(add, id ?? null, JSON.stringify(upload))
    if (changes === 0) return undefined
    const added = { id: Number(lastInsertRowid), ...upload }
    const ids = this.#idsByAge.get(upload.accountId)
    if (ids === undefined) return added
    // Nearly every one is its account's newest.
    if (this.newest(upload.accountId, { offset: 0, limit: 1 })[0]?.id === added.id) ids.push(added.id)
    else this.#idsByAge.delete(upload.accountId)
    return added
  }

  findBySlug(slug: string): UploadRecord | undefined {
    return this.#many('WHERE slug = ?', slug)[0]
  }

  /** The account's latest upload whose slug differs at most in the case of letters. */
  findAlike(accountId: number, slug: string): UploadRecord | undefined {
    return this.#many(`WHERE accountId = ? AND lower(slug) = lower(?) ${newestFirst} LIMIT 1`, accountId, slug)[0]
  }

  /** The account's latest upload of the same bytes. */
  findContent(accountId: number, sha256: string, bytes: number): UploadRecord | undefined {
    const same = 'accountId = ? AND sha256 = ? AND sizeBytes = ?'
    return this.#many(`WHERE ${same} ${newestFirst} LIMIT 1`, accountId, sha256, bytes)[0]
  }

  /** Those with a pending thumbnail, the first due first. */
  awaitingThumbnail(): readonly UploadRecord[] {
    return this.#many('WHERE dueAt IS NOT NULL ORDER BY dueAt, id')
  }

  /** By id. */
  all(): readonly UploadRecord[] {
    return this.#many('ORDER BY id')
  }

  /** Newest first. */
  newest(accountId: number, { offset, limit }: Readonly<Record<'offset' | 'limit', number>>): readonly UploadRecord[] {
    if (offset < near)
      return this.#many(`WHERE accountId = ? ${newestFirst} LIMIT ? OFFSET ?`, accountId, limit, offset)
    if (offset >= this.totals(accountId).uploads) return []
    const ids = this.#idsByAge.get(accountId) ?? this.#readIds(accountId)
    this.#idsByAge.set(accountId, ids)
    const end = Math.max(ids.length - offset, 0)
    const page = ids.slice(Math.max(end - limit, 0), end).reverse()
    const inOrder = 'SELECT uploads.id, record FROM json_each(?) JOIN uploads ON uploads.id = value'
    return this.#database.all(inOrder, JSON.stringify(page)).map(uploadOf)
  }

  /** As one text, which takes a quarter of the time of so many rows. */
  #readIds(accountId: number): number[] {
    const ofAccount = 'SELECT id FROM uploads WHERE accountId = ? ORDER BY createdAt, id'
    const found = this.#database.get(`SELECT json_group_array(id) AS ids FROM (${ofAccount})`, accountId)
    return JSON.parse(String(found?.['ids']))
  }

  /** How many of an account's were made after an instant. */
  countLater(accountId: number, since: number): number {
    const later = 'SELECT count(*) AS n FROM uploads WHERE accountId = ? AND createdAt > ?'
    return Number(this.#database.get(later, accountId, since)?.['n'])
  }

  /** Of an account, or of all. */
  totals(accountId?: number): UploadTotals {
    const sums = 'SELECT total(uploads) AS uploads, total(views) AS views, total(bytes) AS bytes FROM totals'
    const [where, ...of] = accountId === undefined ? [''] : ['WHERE accountId = ?', accountId]
    return { ...this.#database.get(`${sums} ${where}`, ...of) } as unknown as UploadTotals
  }

  update(slug: string, changes: UploadChanges): UploadRecord | undefined {
    const old = this.findBySlug(slug)
    if (old === undefined) return undefined
    const { id, ...upload } = { ...old, ...changes }
    this.#database.write('UPDATE uploads SET record = ? WHERE id = ?', JSON.stringify(upload), id)
    return { id, ...upload }
  }

  remove(slug: string): UploadRecord | undefined {
    const upload = this.findBySlug(slug)
    if (upload === undefined) return undefined
    this.#database.write('DELETE FROM uploads WHERE id = ?', upload.id)
    const ids = this.#idsByAge.get(upload.accountId)
    ids?.splice(ids.lastIndexOf(upload.id), 1)
    return upload
  }

  /** Removes all uploads of an account. @returns those that have bytes or a thumbnail */
  removeAll(accountId: number): readonly UploadRecord[] {
    const isStored = '(blob_id IS NOT NULL OR thumbnailId IS NOT NULL OR dueAt IS NOT NULL)'
    const stored = this.#many(`WHERE accountId = ? AND ${isStored}`, accountId)
    this.#database.write('DELETE FROM uploads WHERE accountId = ?', accountId)
    this.#idsByAge.delete(accountId)
    return stored
  }

  /** Of files and thumbnails. */
  blobIds(): ReadonlySet<string> {
    const ids = `SELECT blob_id AS id FROM uploads WHERE blob_id IS NOT NULL UNION
      SELECT thumbnailId FROM uploads WHERE thumbnailId IS NOT NULL`
    return new Set(this.#database.all(ids).map(({ id }) => String(id)))
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#idsByAge.clear()
  }
}

function uploadOf({ id, record }: Row): UploadRecord {
  return { id, ...JSON.parse(String(record)) }
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}
