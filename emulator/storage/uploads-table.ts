import type { DatabaseSync } from 'node:sqlite'
import type { UploadChanges, UploadRecord, UploadTotals } from './record-types.ts'
import { finderIn, parsedRow } from './rows.ts'
import type { Turns } from './turn.ts'

/** `views` are those of the files themselves. The sums of each account's uploads follow by themselves. */
export const uploadsSchema = `
CREATE TABLE uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE, account_id INTEGER NOT NULL,
  created_at REAL NOT NULL, blob_id TEXT, sha256 TEXT, bytes INTEGER NOT NULL, thumbnail_id TEXT, due_at REAL,
  views INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
CREATE INDEX uploads_age ON uploads (account_id, created_at, id);
CREATE INDEX uploads_blob ON uploads (blob_id) WHERE blob_id IS NOT NULL;
CREATE INDEX uploads_thumbnail ON uploads (thumbnail_id) WHERE thumbnail_id IS NOT NULL;
CREATE INDEX uploads_content ON uploads (account_id, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX uploads_due ON uploads (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE totals (account_id INTEGER PRIMARY KEY, uploads INTEGER NOT NULL, views INTEGER NOT NULL,
  bytes INTEGER NOT NULL) STRICT;
CREATE TRIGGER upload_added AFTER INSERT ON uploads BEGIN
  INSERT INTO totals VALUES (NEW.account_id, 1, NEW.views, NEW.bytes) ON CONFLICT DO UPDATE
    SET uploads = uploads + 1, views = views + excluded.views, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER upload_viewed AFTER UPDATE OF views ON uploads WHEN NEW.views <> OLD.views BEGIN
  UPDATE totals SET views = views + NEW.views - OLD.views WHERE account_id = NEW.account_id;
END;
CREATE TRIGGER upload_removed AFTER DELETE ON uploads BEGIN
  UPDATE totals SET uploads = uploads - 1, views = views - OLD.views, bytes = bytes - OLD.bytes
    WHERE account_id = OLD.account_id;
END;`

/** Without an id it gets the next. */
export type NewUpload = Omit<UploadRecord, 'id'> & { readonly id?: number }

const newestFirst = 'ORDER BY created_at DESC, id DESC'

/** From an upload on. Of a condition on instant and id together, SQLite looks up the instant alone. */
const following = `SELECT created_at, id FROM uploads WHERE account_id = ? AND created_at = ? AND id >= ?
  UNION ALL SELECT created_at, id FROM uploads WHERE account_id = ? AND created_at > ?
  ORDER BY created_at, id LIMIT ? OFFSET ?`

function statementsOf(database: DatabaseSync) {
  const q = (sql: string) => database.prepare(sql)
  const { one, many } = finderIn<UploadRecord>(database, 'uploads', createUploadReader())
  return {
    add: q('INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    change: q('UPDATE uploads SET thumbnail_id = ?, due_at = ?, views = ?, record = ? WHERE id = ?'),
    remove: q('DELETE FROM uploads WHERE id = ?'),
    removeAll: q('DELETE FROM uploads WHERE account_id = ?'),
    taken: q('SELECT 1 FROM uploads WHERE slug = ?'),
    bySlug: one('WHERE slug = ?'),
    all: many('ORDER BY id'),
    ofAccount: many('WHERE account_id = ?'),
    newest: many(`WHERE account_id = ? ${newestFirst} LIMIT ? OFFSET ?`),
    after: many(`WHERE id IN (SELECT id FROM (${following})) ${newestFirst}`),
    next: q(following),
    due: many('WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT ?'),
    alike: one(`WHERE account_id = ? AND lower(slug) = lower(?) ${newestFirst} LIMIT 1`),
    sameContent: one(`WHERE account_id = ? AND sha256 = ? AND bytes = ? ${newestFirst} LIMIT 1`),
    later: q('SELECT count(*) AS n FROM uploads WHERE account_id = ? AND created_at > ?'),
    sum: q('SELECT uploads, views, bytes FROM totals WHERE account_id = ?'),
    sumOfAll: q('SELECT total(uploads) AS uploads, total(views) AS views, total(bytes) AS bytes FROM totals'),
    blobs: q(`SELECT blob_id AS id FROM uploads WHERE blob_id IS NOT NULL UNION
      SELECT thumbnail_id FROM uploads WHERE thumbnail_id IS NOT NULL`),
  }
}

interface Age {
  readonly createdAt: number
  readonly id: number
}

/** An upload, and how many of its account are older. */
interface Mark extends Age {
  place: number
}

/** So many from either end are skipped by the database, which takes less than a millisecond. */
const marksApart = 1_000

const beforeAll: Mark = { createdAt: Number.MIN_SAFE_INTEGER, id: 0, place: 0 }

const from = (accountId: number, { createdAt, id }: Age) => [accountId, createdAt, id, accountId, createdAt]

/** Uploads, found by slug, account and age, and the sums of each account's. */
export class UploadsTable {
  readonly #turns: Turns
  readonly #sql: ReturnType<typeof statementsOf>
  /**
   * SQLite walks to an offset, a million steps to the last: of an account that is asked so far back, every thousandth
   * upload is remembered with its place, found in one walk and kept up to date.
   */
  readonly #marks = new Map<number, Mark[]>()

  constructor(database: DatabaseSync, turns: Turns) {
    this.#turns = turns
    this.#sql = statementsOf(database)
  }

  #put({ id, ...upload }: NewUpload): UploadRecord | undefined {
    const { slug, accountId, createdAt, blobId, sha256 = null, sizeBytes } = upload
    if (this.#sql.taken.get(slug) !== undefined) return undefined
    const fixed = [id ?? null, slug, accountId, createdAt, blobId, sha256, sizeBytes] as const
    const added = { id: Number(this.#sql.add.run(...fixed, ...changeable(upload)).lastInsertRowid), ...upload }
    this.#moved(added, 1)
    return added
  }

  /** @returns undefined if the slug is taken */
  insert(upload: NewUpload): UploadRecord | undefined {
    return this.#turns.write('lasting', () => this.#put(upload))
  }

  /**
   * Inserts uploads of one account, all or none.
   * @param newSlug called again for one that is taken
   * @returns the first of their slugs, as many as asked for
   */
  insertAll(
    accountId: number,
    uploads: Iterable<Omit<NewUpload, 'accountId' | 'slug'>>,
    { newSlug, most }: { readonly newSlug: () => string; readonly most: number },
  ): readonly string[] {
    const slugs: string[] = []
    this.#turns.write('lasting', () => {
      for (const upload of uploads) {
        let slug = newSlug()
        while (this.#put({ ...upload, slug, accountId }) === undefined) slug = newSlug()
        if (slugs.length < most) slugs.push(slug)
      }
    })
    return slugs
  }

  findBySlug(slug: string): UploadRecord | undefined {
    return this.#sql.bySlug(slug)
  }

  /** The account's latest upload whose slug differs at most in the case of letters. */
  findAlike(accountId: number, slug: string): UploadRecord | undefined {
    return this.#sql.alike(accountId, slug)
  }

  /** The account's latest upload of the same bytes. */
  findContent(accountId: number, sha256: string, bytes: number): UploadRecord | undefined {
    return this.#sql.sameContent(accountId, sha256, bytes)
  }

  /** Those with a pending thumbnail, the first due first. @param most default: all */
  awaitingThumbnail(most = -1): readonly UploadRecord[] {
    return this.#sql.due(most)
  }

  /** By id. */
  all(): readonly UploadRecord[] {
    return this.#sql.all()
  }

  /** Newest first. */
  newest(
    accountId: number,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): readonly UploadRecord[] {
    if (offset <= marksApart) return this.#sql.newest(accountId, limit, offset)
    const total = this.totals(accountId).uploads
    const count = Math.max(Math.min(limit, total - offset), 0)
    const place = total - offset - count
    const mark = this.#marksOf(accountId, total).findLast((one) => one.place <= place) ?? beforeAll
    return this.#sql.after(...from(accountId, mark), count, place - mark.place)
  }

  #marksOf(accountId: number, total: number): readonly Mark[] {
    const known = this.#marks.get(accountId)
    if (known !== undefined && total - (known.at(-1)?.place ?? 0) < 5 * marksApart) return known
    const marks: Mark[] = []
    let last: Age = beforeAll
    for (let place = marksApart; ; place += marksApart) {
      const row = this.#sql.next.get(...from(accountId, last), 1, marksApart)
      if (row === undefined) break
      last = { createdAt: Number(row['created_at']), id: Number(row['id']) }
      marks.push({ ...last, place })
    }
    this.#marks.set(accountId, marks)
    return marks
  }

  /** Call for each upload that was added or removed. Nearly every one is its account's newest, behind all marks. */
  #moved({ accountId, createdAt, id }: UploadRecord, by: 1 | -1): void {
    const marks = this.#marks.get(accountId) ?? []
    for (let at = marks.length - 1; at >= 0; at -= 1) {
      const mark = marks[at]
      if (mark === undefined || mark.createdAt < createdAt || (mark.createdAt === createdAt && mark.id < id)) return
      if (mark.id === id) return void this.#marks.delete(accountId)
      mark.place += by
    }
  }

  /** How many of an account's were made after an instant. */
  countLater(accountId: number, since: number): number {
    return Number(this.#sql.later.get(accountId, since)?.['n'])
  }

  /** Of an account, or of all. */
  totals(accountId?: number): UploadTotals {
    const sums = accountId === undefined ? this.#sql.sumOfAll.get() : this.#sql.sum.get(accountId)
    const { uploads = 0, views = 0, bytes = 0 } = sums ?? {}
    return { uploads: Number(uploads), views: Number(views), bytes: Number(bytes) }
  }

  update(slug: string, changes: UploadChanges): UploadRecord | undefined {
    const old = this.findBySlug(slug)
    if (old === undefined) return undefined
    const { id, ...upload } = { ...old, ...changes }
    this.#turns.write('ordinary', () => this.#sql.change.run(...changeable(upload), id))
    return { id, ...upload }
  }

  remove(slug: string): UploadRecord | undefined {
    const upload = this.findBySlug(slug)
    if (upload === undefined) return undefined
    this.#turns.write('lasting', () => this.#sql.remove.run(upload.id))
    this.#moved(upload, -1)
    return upload
  }

  /** Removes an account's uploads and returns them. */
  removeAll(accountId: number): readonly UploadRecord[] {
    const gone = this.#sql.ofAccount(accountId)
    this.#turns.write('lasting', () => this.#sql.removeAll.run(accountId))
    this.#marks.delete(accountId)
    return gone
  }

  /** Of files and thumbnails. */
  blobIds(): ReadonlySet<string> {
    return new Set(this.#sql.blobs.all().map(({ id }) => String(id)))
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#marks.clear()
  }
}

/** Of so many uploads the objects are kept, some pages. */
const mostKept = 1_000

/** Reads uploads, each as the same object as long as its row is the same: those who write it remember what they wrote. */
function createUploadReader() {
  const kept = new Map<number, { readonly json: string; readonly upload: UploadRecord }>()
  return (json: string, id: number): UploadRecord => {
    const known = kept.get(id)
    if (known?.json === json) return known.upload
    const upload: UploadRecord = { id, ...parsedRow<Omit<UploadRecord, 'id'>>(json, 'uploads', id) }
    if (kept.size >= mostKept) kept.clear()
    kept.set(id, { json, upload })
    return upload
  }
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}

/** The columns that an update may change. */
function changeable(upload: Omit<UploadRecord, 'id'>) {
  const { thumbnail, views, indirectViews = 0 } = upload
  return [
    thumbnail.state === 'ready' ? thumbnail.blobId : null,
    thumbnail.state === 'pending' ? thumbnail.dueAt : null,
    Math.max(views - indirectViews, 0),
    JSON.stringify(upload),
  ] as const
}
