import type { UploadChanges, UploadRecord, UploadTotals } from './record-types.ts'
import type { Database, Row } from './turn.ts'

/**
 * Columns have the names of the fields; `thumbnail` is JSON, null if there is none. `directViews` are those of the files
 * themselves. The sums of each account's uploads follow by themselves.
 */
export const uploadsSchema = `
CREATE TABLE uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE, accountId INTEGER NOT NULL,
  blobId TEXT, createdAt REAL NOT NULL, thumbnail TEXT, title TEXT, views INTEGER NOT NULL, likes INTEGER NOT NULL,
  mimeType TEXT NOT NULL, sizeBytes INTEGER NOT NULL, sha256 TEXT, indirectViews INTEGER,
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

/** Without an id it gets the next. */
export type NewUpload = Omit<UploadRecord, 'id'> & { readonly id?: number }

const columns =
  'id, slug, accountId, blobId, createdAt, thumbnail, title, views, likes, mimeType, sizeBytes, sha256, indirectViews'
const select = `SELECT ${columns} FROM uploads`
const newestFirst = 'ORDER BY createdAt DESC, id DESC'

/** From an upload on. Of a condition on instant and id together, SQLite looks up the instant alone. */
const following = (what: string) => `SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt = ? AND id >= ?
  UNION ALL SELECT ${what} FROM uploads WHERE accountId = ? AND createdAt > ? ORDER BY createdAt, id LIMIT ? OFFSET ?`

type Age = Pick<UploadRecord, 'createdAt' | 'id'>

const beforeAll: Age = { createdAt: Number.MIN_SAFE_INTEGER, id: 0 }

const isOlder = (one: Age, other: Age) =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id)

/** So many from a mark are skipped by the database, which takes some microseconds. */
const marksApart = 256

/** Uploads, found by slug, account and age, and the sums of each account's. */
export class UploadsTable {
  readonly #database: Database
  /**
   * SQLite walks to an offset, a million steps to the last: of an account that is asked so far back, every 256th upload is
   * remembered, the oldest first.
   */
  readonly #marks = new Map<number, Age[]>()

  constructor(database: Database) {
    this.#database = database
  }

  #one(where: string, ...values: readonly (string | number)[]): UploadRecord | undefined {
    const row = this.#database.get(`${select} ${where}`, ...values)
    return row && uploadOf(row)
  }

  #many(where: string, ...values: readonly (string | number)[]): readonly UploadRecord[] {
    return this.#database.all(`${select} ${where}`, ...values).map(uploadOf)
  }

  /** @returns undefined if the slug is taken */
  insert({ id, ...upload }: NewUpload): UploadRecord | undefined {
    const { slug, accountId, blobId, createdAt, mimeType, sizeBytes, sha256 = null, likes } = upload
    if (this.#database.get('SELECT 1 FROM uploads WHERE slug = ?', slug) !== undefined) return undefined
    const [thumbnail, title, views, indirectViews] = changeable(upload)
    const { lastInsertRowid } = this.#database.writeLasting(
      `INSERT INTO uploads (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id ?? null, slug, accountId, blobId, createdAt, thumbnail, title, views, likes, mimeType, sizeBytes],
      ...[sha256, indirectViews],
    )
    const added = { id: Number(lastInsertRowid), ...upload }
    this.#forgetMarks(added)
    return added
  }

  findBySlug(slug: string): UploadRecord | undefined {
    return this.#one('WHERE slug = ?', slug)
  }

  /** The account's latest upload whose slug differs at most in the case of letters. */
  findAlike(accountId: number, slug: string): UploadRecord | undefined {
    return this.#one(`WHERE accountId = ? AND lower(slug) = lower(?) ${newestFirst} LIMIT 1`, accountId, slug)
  }

  /** The account's latest upload of the same bytes. */
  findContent(accountId: number, sha256: string, bytes: number): UploadRecord | undefined {
    const same = 'accountId = ? AND sha256 = ? AND sizeBytes = ?'
    return this.#one(`WHERE ${same} ${newestFirst} LIMIT 1`, accountId, sha256, bytes)
  }

  /** Those with a pending thumbnail, the first due first. @param most default: all */
  awaitingThumbnail(most = -1): readonly UploadRecord[] {
    return this.#many('WHERE thumbnail IS NOT NULL AND dueAt IS NOT NULL ORDER BY dueAt, id LIMIT ?', most)
  }

  /** By id. */
  all(): readonly UploadRecord[] {
    return this.#many('ORDER BY id')
  }

  /** Newest first. */
  newest(
    accountId: number,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): readonly UploadRecord[] {
    if (offset <= marksApart)
      return this.#many(`WHERE accountId = ? ${newestFirst} LIMIT ? OFFSET ?`, accountId, limit, offset)
    const total = this.totals(accountId).uploads
    const count = Math.max(Math.min(limit, total - offset), 0)
    return this.#following(accountId, { place: total - offset - count, count })
      .map(uploadOf)
      .reverse()
  }

  /** @param place how many of the account's are older */
  #following(accountId: number, { place, count }: { readonly place: number; readonly count: number }): Row[] {
    const marks = this.#marks.get(accountId) ?? []
    this.#marks.set(accountId, marks)
    while ((marks.length + 1) * marksApart <= place) {
      const [next] = this.#from(accountId, marks.at(-1), { what: 'createdAt, id', count: 1, skipped: marksApart })
      if (next === undefined) break
      marks.push(next as unknown as Age)
    }
    const at = Math.min(Math.floor(place / marksApart), marks.length)
    return this.#from(accountId, marks[at - 1], { what: columns, count, skipped: place - at * marksApart })
  }

  #from(
    accountId: number,
    { createdAt, id }: Age = beforeAll,
    { what, count, skipped }: Readonly<Record<'count' | 'skipped', number> & { what: string }>,
  ) {
    return this.#database.all(following(what), accountId, createdAt, id, accountId, createdAt, count, skipped)
  }

  /** An upload that was added or removed moves all newer ones; nearly every one is its account's newest. */
  #forgetMarks(upload: UploadRecord): void {
    const marks = this.#marks.get(upload.accountId) ?? []
    while (marks.length > 0 && !isOlder(marks.at(-1) ?? beforeAll, upload)) marks.pop()
  }

  /** How many of an account's were made after an instant. */
  countLater(accountId: number, since: number): number {
    const later = 'SELECT count(*) AS n FROM uploads WHERE accountId = ? AND createdAt > ?'
    return Number(this.#database.get(later, accountId, since)?.['n'])
  }

  /** Of an account, or of all. */
  totals(accountId?: number): UploadTotals {
    const sums =
      accountId === undefined
        ? this.#database.get(
            'SELECT total(uploads) AS uploads, total(views) AS views, total(bytes) AS bytes FROM totals',
          )
        : this.#database.get(
            'SELECT uploads, views + 0.0 AS views, bytes + 0.0 AS bytes FROM totals WHERE accountId = ?',
            accountId,
          )
    return {
      uploads: Number(sums?.['uploads'] ?? 0),
      views: Number(sums?.['views'] ?? 0),
      bytes: Number(sums?.['bytes'] ?? 0),
    }
  }

  update(slug: string, changes: UploadChanges): UploadRecord | undefined {
    const old = this.findBySlug(slug)
    if (old === undefined) return undefined
    const upload = { ...old, ...changes }
    const change = 'UPDATE uploads SET thumbnail = ?, title = ?, views = ?, indirectViews = ?, likes = ? WHERE id = ?'
    this.#database.write(change, ...changeable(upload), upload.likes, upload.id)
    return upload
  }

  remove(slug: string): UploadRecord | undefined {
    const upload = this.findBySlug(slug)
    if (upload === undefined) return undefined
    this.#database.writeLasting('DELETE FROM uploads WHERE id = ?', upload.id)
    this.#forgetMarks(upload)
    return upload
  }

  /** Removes all uploads of an account. @returns those that have bytes or a thumbnail */
  removeAll(accountId: number): readonly UploadRecord[] {
    const stored = this.#many('WHERE accountId = ? AND (blobId IS NOT NULL OR thumbnail IS NOT NULL)', accountId)
    this.#database.writeLasting('DELETE FROM uploads WHERE accountId = ?', accountId)
    this.#marks.delete(accountId)
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
    this.#marks.clear()
  }
}

function uploadOf({ thumbnail, sha256, indirectViews, ...fields }: Row): UploadRecord {
  return {
    ...fields,
    thumbnail: thumbnail === null ? { state: 'none' } : JSON.parse(String(thumbnail)),
    ...(sha256 !== null && { sha256 }),
    ...(indirectViews !== null && { indirectViews }),
  } as unknown as UploadRecord
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}

/** The columns that an update may change. */
function changeable({ thumbnail, title, views, indirectViews }: Omit<UploadRecord, 'id'>) {
  return [thumbnail.state === 'none' ? null : JSON.stringify(thumbnail), title, views, indirectViews ?? null] as const
}
