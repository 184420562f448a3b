import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { Places } from './places.ts'
import type { UploadChanges, UploadRecord, UploadTotals } from './record-types.ts'
import { parsedRow } from './sqlite.ts'
import type { Turns } from './turn.ts'

export const uploadsSchema = `
CREATE TABLE uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, slug TEXT NOT NULL UNIQUE, account_id INTEGER NOT NULL,
  created_at REAL NOT NULL, blob_id TEXT, thumbnail_id TEXT, sha256 TEXT, due_at REAL, bytes INTEGER NOT NULL,
  views INTEGER NOT NULL, rest TEXT NOT NULL) STRICT;
CREATE INDEX uploads_age ON uploads (account_id, created_at, id);
CREATE INDEX uploads_blob ON uploads (blob_id) WHERE blob_id IS NOT NULL;
CREATE INDEX uploads_thumbnail ON uploads (thumbnail_id) WHERE thumbnail_id IS NOT NULL;
CREATE INDEX uploads_content ON uploads (account_id, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX uploads_due ON uploads (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE totals (account_id INTEGER PRIMARY KEY, uploads INTEGER NOT NULL, views INTEGER NOT NULL,
  bytes INTEGER NOT NULL) STRICT;`

type Row = Record<string, SQLOutputValue>
export type NewUpload = Omit<UploadRecord, 'id'>

/** Of so many uploads the objects are kept, some pages. */
const mostSeen = 1_000

const newestFirst = 'ORDER BY created_at DESC, id DESC'

function statementsOf(database: DatabaseSync) {
  const q = (sql: string) => database.prepare(sql)
  const select = (rest: string) => q(`SELECT id, slug, account_id, created_at, blob_id, rest FROM uploads ${rest}`)
  return {
    add: q(`INSERT INTO uploads (id, slug, account_id, created_at, blob_id, sha256, bytes, thumbnail_id, due_at, views, rest)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    change: q('UPDATE uploads SET thumbnail_id = ?, due_at = ?, views = ?, rest = ? WHERE id = ?'),
    remove: q('DELETE FROM uploads WHERE id = ?'),
    removeAll: q('DELETE FROM uploads WHERE account_id = ?'),
    taken: q('SELECT 1 FROM uploads WHERE slug = ?'),
    bySlug: select('WHERE slug = ?'),
    all: select('ORDER BY id'),
    ofAccount: select('WHERE account_id = ?'),
    due: select('WHERE due_at IS NOT NULL ORDER BY due_at, id'),
    alike: select(`WHERE account_id = ? AND lower(slug) = lower(?) ${newestFirst} LIMIT 1`),
    sameContent: select(`WHERE account_id = ? AND sha256 = ? AND bytes = ? ${newestFirst} LIMIT 1`),
    later: q('SELECT count(*) AS n FROM uploads WHERE account_id = ? AND created_at > ?'),
    sum: q('SELECT uploads, views, bytes FROM totals WHERE account_id = ?'),
    count: q(`INSERT INTO totals VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
      SET uploads = uploads + excluded.uploads, views = views + excluded.views, bytes = bytes + excluded.bytes`),
    forgetSum: q('DELETE FROM totals WHERE account_id = ?'),
    blobs: q(`SELECT blob_id AS id FROM uploads WHERE blob_id IS NOT NULL UNION
      SELECT thumbnail_id FROM uploads WHERE thumbnail_id IS NOT NULL`),
  }
}

/** Uploads, found by slug, account and age, and the sums of each account's. */
export class UploadsTable {
  readonly #turns: Turns
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #places: Places
  readonly #seen = new Map<number, { readonly rest: string; readonly upload: UploadRecord }>()

  constructor(database: DatabaseSync, turns: Turns) {
    this.#turns = turns
    this.#sql = statementsOf(database)
    this.#places = new Places(database)
  }

  #uploadOf(row: Row | undefined): UploadRecord | undefined {
    return row === undefined ? undefined : this.#uploadIn(row)
  }

  /** The same object as long as the row is the same: those who write it remember what they wrote. */
  readonly #uploadIn = ({ id, slug, account_id, created_at, blob_id, rest }: Row): UploadRecord => {
    const known = this.#seen.get(Number(id))
    if (known !== undefined && known.rest === rest) return known.upload
    const head = { id, slug, accountId: account_id, createdAt: created_at, blobId: blob_id }
    const upload = { ...head, ...parsedRow(rest, 'uploads', id) } as UploadRecord
    if (this.#seen.size >= mostSeen) this.#seen.clear()
    this.#seen.set(Number(id), { rest: String(rest), upload })
    return upload
  }

  /** @param id null: the next @returns the id; undefined if the slug is taken */
  #put(id: number | null, upload: NewUpload): number | undefined {
    const { slug, accountId, createdAt, blobId, sha256 = null, sizeBytes } = upload
    if (this.#sql.taken.get(slug) !== undefined) return undefined
    const fixed = [id, slug, accountId, createdAt, blobId, sha256, sizeBytes] as const
    const { lastInsertRowid } = this.#sql.add.run(...fixed, ...changeable(upload))
    this.#places.moved(accountId, { createdAt, id: Number(lastInsertRowid) }, 1)
    return Number(lastInsertRowid)
  }

  #count(upload: NewUpload, times: 1 | -1): void {
    this.#sql.count.run(upload.accountId, times, times * directViews(upload), times * upload.sizeBytes)
  }

  /** @returns undefined if the slug is taken */
  insert(upload: NewUpload): UploadRecord | undefined {
    return this.#turns.write('lasting', () => {
      const id = this.#put(null, upload)
      if (id === undefined) return undefined
      this.#count(upload, 1)
      return { id, ...upload }
    })
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
    const sums = { uploads: 0, views: 0, bytes: 0 }
    this.#turns.write('lasting', () => {
      for (const upload of uploads) {
        let slug = newSlug()
        while (this.#put(null, { ...upload, slug, accountId }) === undefined) slug = newSlug()
        if (slugs.length < most) slugs.push(slug)
        sums.uploads += 1
        sums.views += directViews(upload)
        sums.bytes += upload.sizeBytes
      }
      this.#sql.count.run(accountId, sums.uploads, sums.views, sums.bytes)
    })
    return slugs
  }

  /** Adds an upload with its id, as a dump has it. */
  load(upload: UploadRecord): void {
    this.#put(upload.id, upload)
    this.#count(upload, 1)
  }

  findBySlug(slug: string): UploadRecord | undefined {
    return this.#uploadOf(this.#sql.bySlug.get(slug))
  }

  /** The account's latest upload whose slug differs at most in the case of letters. */
  findAlike(accountId: number, slug: string): UploadRecord | undefined {
    return this.#uploadOf(this.#sql.alike.get(accountId, slug))
  }

  /** The account's latest upload of the same bytes. */
  findContent(accountId: number, sha256: string, bytes: number): UploadRecord | undefined {
    return this.#uploadOf(this.#sql.sameContent.get(accountId, sha256, bytes))
  }

  /** Those with a pending thumbnail, the first due first. */
  awaitingThumbnail(): readonly UploadRecord[] {
    return this.#sql.due.all().map(this.#uploadIn)
  }

  /** By id. */
  all(): readonly UploadRecord[] {
    return this.#sql.all.all().map(this.#uploadIn)
  }

  /** Newest first. */
  newest(accountId: number, page: { readonly offset: number; readonly limit: number }): readonly UploadRecord[] {
    return this.#places.page(accountId, { ...page, total: this.totals(accountId).uploads }).map(this.#uploadIn)
  }

  /** How many of an account's were made after an instant. */
  countLater(accountId: number, since: number): number {
    return Number(this.#sql.later.get(accountId, since)?.['n'])
  }

  totals(accountId: number): UploadTotals {
    const { uploads = 0, views = 0, bytes = 0 } = this.#sql.sum.get(accountId) ?? {}
    return { uploads: Number(uploads), views: Number(views), bytes: Number(bytes) }
  }

  update(slug: string, changes: UploadChanges): UploadRecord | undefined {
    const old = this.findBySlug(slug)
    if (old === undefined) return undefined
    const upload: UploadRecord = { ...old, ...changes }
    const views = directViews(upload) - directViews(old)
    this.#turns.write('ordinary', () => {
      this.#sql.change.run(...changeable(upload), upload.id)
      if (views !== 0) this.#sql.count.run(upload.accountId, 0, views, 0)
    })
    return upload
  }

  remove(slug: string): UploadRecord | undefined {
    const upload = this.findBySlug(slug)
    if (upload === undefined) return undefined
    this.#turns.write('lasting', () => {
      this.#sql.remove.run(upload.id)
      this.#count(upload, -1)
      this.#places.moved(upload.accountId, upload, -1)
    })
    return upload
  }

  /** Removes an account's uploads and returns them. */
  removeAll(accountId: number): readonly UploadRecord[] {
    const gone = this.#sql.ofAccount.all(accountId).map(this.#uploadIn)
    this.#turns.write('lasting', () => {
      this.#sql.removeAll.run(accountId)
      this.#sql.forgetSum.run(accountId)
      this.forget()
    })
    return gone
  }

  /** Of files and thumbnails. */
  blobIds(): ReadonlySet<string> {
    return new Set(this.#sql.blobs.all().map(({ id }) => String(id)))
  }

  /** Call when the table was changed from elsewhere. */
  forget(): void {
    this.#places.forget()
    this.#seen.clear()
  }
}

/** The blobs of an upload's file and thumbnail. */
export function blobIdsOf({ blobId, thumbnail }: Pick<UploadRecord, 'blobId' | 'thumbnail'>): readonly string[] {
  return [...(blobId === null ? [] : [blobId]), ...(thumbnail.state === 'ready' ? [thumbnail.blobId] : [])]
}

/** The columns that an update may change; the last has all fields without a column, so that a new one needs no other. */
function changeable(upload: NewUpload & { readonly id?: number }) {
  const { id: _, slug: __, accountId: ___, createdAt: ____, blobId: _____, ...rest } = upload
  const { thumbnail } = upload
  return [
    thumbnail.state === 'ready' ? thumbnail.blobId : null,
    thumbnail.state === 'pending' ? thumbnail.dueAt : null,
    directViews(upload),
    JSON.stringify(rest),
  ] as const
}

/** How many of an upload's views were of the file itself. */
function directViews({ views, indirectViews = 0 }: Pick<UploadRecord, 'views' | 'indirectViews'>): number {
  return Math.max(views - indirectViews, 0)
}
