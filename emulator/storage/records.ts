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
import { type Database, putter, type Row } from './turn.ts'

/**
 * Columns have the names of the fields; `thumbnail` is JSON, null if there is none. `directViews` are those of the files
 * themselves. The sums of each account's uploads follow by themselves.
 */
const uploadsSchema = `
CREATE TABLE uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE, accountId INTEGER NOT NULL,
  blobId TEXT, createdAt REAL NOT NULL, thumbnail TEXT, title TEXT, views INTEGER NOT NULL, likes INTEGER NOT NULL,
  mimeType TEXT NOT NULL, sizeBytes INTEGER NOT NULL, sha256 TEXT, name TEXT, indirectViews INTEGER,
  directViews INTEGER AS (max(views - ifnull(indirectViews, 0), 0)), thumbnailId TEXT AS (thumbnail ->> 'blobId'),
  dueAt REAL AS (thumbnail ->> 'dueAt')) STRICT;
CREATE INDEX uploadsByAge ON uploads (accountId, createdAt, id);
CREATE INDEX uploadsByContent ON uploads (accountId, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX uploadsByBlob ON uploads (blobId) WHERE blobId IS NOT NULL;
CREATE INDEX uploadsByThumbnail ON uploads (dueAt, thumbnailId) WHERE thumbnail IS NOT NULL;
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

/** A `record` is JSON, so that a new field needs no new version. */
export const schema = `
CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT;
CREATE TABLE notes (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
${uploadsSchema}
${requestsSchema}`

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
    for (const table of ['accounts', 'uploads', 'totals', 'requests', 'usage', 'sqlite_sequence']) {
      this.#database.write(`DELETE FROM ${table}`)
    }
    this.#reload()
    this.sessions.replace(dump?.sessions ?? [])
    if (dump === undefined) return
    for (const account of dump.accounts.toSorted((one, other) => one.id - other.id)) this.accounts.put(account)
    for (const upload of dump.uploads) this.uploads.insert(upload)
    this.requests.load(dump)
    const { account, upload } = dump.lastIds
    for (const [table, last] of Object.entries({ accounts: account, uploads: upload })) {
      this.#database.write(setLastId, table, table, Math.max(last, this.#database.lastId(table)))
    }
  }
}

const setLastId =
  'REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = ?), ?, ?)'

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

const fields =
  'slug accountId blobId createdAt thumbnail title views likes mimeType sizeBytes sha256 name indirectViews'
const columns = ['id', ...fields.split(' ')]
const putUpload = putter('uploads', columns)
const newestFirst = 'ORDER BY createdAt DESC, id DESC'

type Age = Pick<UploadRecord, 'accountId' | 'createdAt' | 'id'>

/** From an upload on. Of a condition on instant and id together, SQLite looks up the instant alone. */
const following = (what: string) => `SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt = ? AND id >= ?
  UNION ALL SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt > ? ORDER BY createdAt, id LIMIT ? OFFSET ?`

/** So many uploads are skipped by the database, which takes some microseconds. */
const marksApart = 256

/**
 * Finds uploads far back in a list as fast as the newest: SQLite walks to an offset, a million steps to the last. Every
 * 256th upload of an account that is asked so far back is remembered, the oldest first: those that come later move none.
 */
class UploadMarks {
  readonly #database: Database
  readonly #marks = new Map<number, Age[]>()

  constructor(database: Database) {
    this.#database = database
  }

  /** In order of age. @param place how many of the account's are older */
  oldestFrom(accountId: number, columns: string, place: number, count: number): Row[] {
    const marks = this.#marks.get(accountId) ?? []
    this.#marks.set(accountId, marks)
    while ((marks.length + 1) * marksApart <= place) {
      const [next] = this.#from(accountId, marks.at(-1), 'accountId, createdAt, id', 1, marksApart)
      if (next === undefined) break
      marks.push(next as unknown as Age)
    }
    const at = Math.min(Math.floor(place / marksApart), marks.length)
    return this.#from(accountId, marks[at - 1], columns, count, place - at * marksApart)
  }

  #from(accountId: number, mark: Age | undefined, columns: string, count: number, skipped: number): Row[] {
    const { createdAt = Number.MIN_SAFE_INTEGER, id = 0 } = mark ?? {}
    return this.#database.all(following(columns), accountId, createdAt, id, accountId, createdAt, count, skipped)
  }

  /** An upload that was added or removed moves all newer ones; nearly every one is its account's newest. */
  moved({ accountId, createdAt, id }: Age): void {
    const marks = this.#marks.get(accountId) ?? []
    const isNewer = (mark: Age) => mark.createdAt > createdAt || (mark.createdAt === createdAt && mark.id >= id)
    while (marks.length > 0 && marks.slice(-1).some(isNewer)) marks.pop()
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#marks.clear()
  }
}

/** Uploads, found by slug, account and age, and the sums of each account's. */
class UploadsTable {
  readonly #database: Database
  readonly #marks: UploadMarks

  constructor(database: Database) {
    this.#database = database
    this.#marks = new UploadMarks(database)
  }

  #many(where: string, ...values: readonly (string | number)[]): readonly UploadRecord[] {
    return this.#database.all(`SELECT ${columns} FROM uploads ${where}`, ...values).map(uploadOf)
  }

  /** @returns undefined if the slug is taken */
  insert({ id, ...upload }: NewUpload): UploadRecord | undefined {
    if (this.#database.get('SELECT 1 FROM uploads WHERE slug = ?', upload.slug) !== undefined) return undefined
    const { lastInsertRowid } = putUpload(this.#database, { id, ...rowOf(upload) })
    const added = { id: Number(lastInsertRowid), ...upload }
    this.#marks.moved(added)
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
    return this.#many('WHERE thumbnail IS NOT NULL AND dueAt IS NOT NULL ORDER BY dueAt, id')
  }

  /** By id. */
  all(): readonly UploadRecord[] {
    return this.#many('ORDER BY id')
  }

  /** Newest first. */
  newest(accountId: number, { offset, limit }: Readonly<Record<'offset' | 'limit', number>>): readonly UploadRecord[] {
    if (offset < marksApart)
      return this.#many(`WHERE accountId = ? ${newestFirst} LIMIT ? OFFSET ?`, accountId, limit, offset)
    const left = this.totals(accountId).uploads - offset
    const count = Math.max(Math.min(limit, left), 0)
    const rows = this.#marks.oldestFrom(accountId, `${columns}`, left - count, count)
    return rows.map(uploadOf).reverse()
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
    const upload = { ...old, ...changes }
    putUpload(this.#database, rowOf(upload))
    return upload
  }

  remove(slug: string): UploadRecord | undefined {
    const upload = this.findBySlug(slug)
    if (upload === undefined) return undefined
    this.#database.write('DELETE FROM uploads WHERE id = ?', upload.id)
    this.#marks.moved(upload)
    return upload
  }

  /** Removes all uploads of an account. @returns those that have bytes or a thumbnail */
  removeAll(accountId: number): readonly UploadRecord[] {
    const stored = this.#many('WHERE accountId = ? AND (blobId IS NOT NULL OR thumbnail IS NOT NULL)', accountId)
    this.#database.write('DELETE FROM uploads WHERE accountId = ?', accountId)
    this.forget()
    return stored
  }

  /** Of files and thumbnails. */
  blobIds(): ReadonlySet<string> {
    const ids = `SELECT blobId AS id FROM uploads WHERE blobId IS NOT NULL UNION
      SELECT thumbnailId FROM uploads WHERE thumbnail IS NOT NULL AND thumbnailId IS NOT NULL`
    return new Set(this.#database.all(ids).map(({ id }) => String(id)))
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#marks.forget()
  }
}

function rowOf<Upload extends Omit<UploadRecord, 'id'>>({ thumbnail, ...fields }: Upload) {
  return { ...fields, thumbnail: thumbnail.state === 'none' ? null : JSON.stringify(thumbnail) }
}

function uploadOf({ thumbnail, sha256, name, indirectViews, ...fields }: Row): UploadRecord {
  return {
    ...fields,
    thumbnail: thumbnail === null ? { state: 'none' } : JSON.parse(String(thumbnail)),
    ...(sha256 !== null && { sha256 }),
    ...(name !== null && { name }),
    ...(indirectViews !== null && { indirectViews }),
  } as unknown as UploadRecord
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}
