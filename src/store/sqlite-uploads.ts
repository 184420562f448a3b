import { basename, dirname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { isTooDeep } from '../checks/json.ts'
import { anObjectHaving, anything, aText, type Kind, readJson } from '../checks/values.ts'
import { type Clock, steadyClock } from '../clock.ts'
import { essence } from '../protocol/media-types.ts'
import type { Upload } from '../protocol/resources.ts'
import { isOnNetwork, processOf, type RunId } from './runs.ts'
import { type Row, StateDatabase, type StateProblem } from './state-database.ts'
import { StoreError } from './store-error.ts'
import type {
  Account,
  Attempt,
  ClaimedFile,
  ClaimStatus,
  Content,
  Holder,
  KnownUpload,
  OpenItem,
  SeenUpload,
  Underway,
  UploadStore,
} from './upload-store.ts'
import { uploadTables } from './upload-tables.ts'

/** What became of a store of uploads that could not be used as it was. */
export type UploadsProblem =
  | StateProblem
  /** On a disk of another machine nothing tells which runs live. */
  | { readonly type: 'network'; readonly path: string }

export interface SqliteUploadsOptions {
  /** Undefined for a store in memory. */
  readonly path: string | undefined
  /** Called at most once with each kind of problem. */
  readonly onProblem: (problem: UploadsProblem) => void
  /** Default: as statfs tells. */
  readonly isNetwork?: boolean
  readonly account: Account
  readonly clock: Clock
}

/** What was stored or seen this recently is present without asking (docs/exactly-once.md). */
const FRESH_MS = 10_000
/** Older open items are not looked for any more. */
const KEPT_MS = 30 * 86_400_000
/** Of so many latest uploads a service with a lag may not show one yet. Clocks may be set: no age tells. */
const UNLISTED = 200
const LATEST = 1_000

/** A file that this run sends, or finds out about. */
interface OwnFile extends ClaimedFile {
  /** What was not hashed is in the store from its first attempt. */
  isWritten: boolean
  /** Whether the service may have it. It counts also where its row was lost with the store. */
  isSending: boolean
  mimeType: string
}

/** The uploads of one account in SQLite: in a file that all runs of a machine share, or in memory for one run. */
export class SqliteUploads implements UploadStore {
  readonly #db: StateDatabase
  /** Whether nothing tells which other runs live. */
  readonly #isNetwork: boolean
  /** Names the account in all rows. */
  readonly #account: string
  readonly #address: string
  readonly #clock: Clock
  /** As the client's, so that times of attempts can be compared. */
  readonly #steady: Clock
  protected readonly own = new Map<string, OwnFile>()
  #named = 0
  #hasWritten = false

  /** @throws StoreError `busy`, `newer` */
  constructor({ account, clock, path, onProblem, isNetwork }: SqliteUploadsOptions) {
    this.#account = account.keyHash
    this.#address = account.address
    this.#clock = clock
    this.#steady = steadyClock(clock)
    this.#db = new StateDatabase({ path, tables: uploadTables, onProblem })
    this.#db.read(() => {})
    const folder = path === undefined ? '' : dirname(path)
    this.#isNetwork = this.#db.isFile && (isNetwork ?? isOnNetwork(folder))
    if (this.#isNetwork) onProblem({ type: 'network', path: folder })
  }

  async hasSize(size: number): Promise<boolean> {
    return this.#db.read(() => this.#has('upload', 'size = ?', size))
  }

  async expect(_: readonly Content[] = []): Promise<void> {}

  doubtedMs(): number | undefined {
    return undefined
  }

  async known({ size, sha256 }: Content): Promise<readonly KnownUpload[]> {
    if (sha256 === '') return []
    const sql = `SELECT *, seq > (SELECT max(seq) FROM upload) - ${UNLISTED} AS is_late FROM upload
      WHERE account = ? AND size = ? AND sha256 = ? ORDER BY at DESC, seq DESC`
    const uploads = this.#db.read(() => this.#db.all(sql, this.#account, size, sha256).map((row) => this.#toKnown(row)))
    return uploads.sort((one, other) => Number(other.upload !== undefined) - Number(one.upload !== undefined))
  }

  async claim(file: ClaimedFile): Promise<ClaimStatus> {
    this.#named += 1
    const id = `${this.#db.read(() => this.#db.me())}.${this.#named}`
    const isWritten = file.sha256 !== ''
    if (!isWritten && !file.isForced && this.#db.read(() => this.#hasRival(file.size))) return { type: 'needs-hash' }
    const status: ClaimStatus = isWritten ? this.#write((run) => this.#claim(id, file, run)) : { type: 'mine', id }
    if (status.type === 'mine') this.own.set(id, { ...file, isWritten, isSending: false, mimeType: '' })
    return status
  }

  async hashed(id: string, sha256: string): Promise<void> {
    const own = this.own.get(id)
    if (own) this.own.set(id, { ...own, sha256 })
    this.#write((run) => {
      const hashed = this.#db.run('UPDATE OR IGNORE item SET sha256 = ? WHERE id = ? AND run = ?', sha256, id, run)
      if (hashed.changes > 0) return
      // The same content was claimed meanwhile: both were sent already.
      this.#db.run('UPDATE item SET sha256 = ?, is_forced = 1 WHERE id = ? AND run = ?', sha256, id, run)
    })
  }

  async intend(id: string, attempt: Attempt): Promise<boolean> {
    const { size, mimeType, startedAt } = attempt
    const own = this.own.get(id)
    if (own === undefined) return false
    const isMine = this.#write((run) => {
      // What has this size now may have the content: the hash tells.
      if (!own.isWritten && !own.isForced && this.#hasRival(own.size)) return false
      if (!own.isWritten) this.#insert(id, own, run)
      const sql = `UPDATE item SET state = 'sending', size = ?, mime_type = ?, attempt = ?, at = ? WHERE id = ? AND run = ?`
      return this.#db.run(sql, size ?? own.size, mimeType, JSON.stringify(attempt), startedAt, id, run).changes === 1
    })
    own.isWritten ||= isMine
    own.isSending = isMine
    own.mimeType = mimeType
    return isMine
  }

  async looking(id: string): Promise<void> {
    this.#write((run) => this.#db.run(`UPDATE item SET state = 'looking' WHERE id = ? AND run = ?`, id, run))
  }

  async claimed(id: string): Promise<'mine' | 'awaited' | 'lost'> {
    const own = this.own.get(id)
    if (own?.isWritten !== true) return own ? 'mine' : 'lost'
    const row = this.#db.read(() => this.#db.get('SELECT run, sha256, is_awaited FROM item WHERE id = ?', id))
    if (row === undefined || !this.#db.runs.isOwn(row['run'])) return 'lost'
    return row['is_awaited'] === 1 && row['sha256'] === null ? 'awaited' : 'mine'
  }

  async stored(id: string, upload: Upload): Promise<void> {
    const own = this.own.get(id)
    this.own.delete(id)
    this.#write((run) => this.#store(id, own, upload, run, false))
  }

  async found(id: string, upload: Upload): Promise<boolean> {
    const isFree = this.#write((run) => {
      if (this.#has('upload', 'slug = ?', upload.slug)) return false
      this.#store(id, this.own.get(id), upload, run, true)
      return true
    })
    if (isFree) this.own.delete(id)
    return isFree
  }

  async notStored(id: string): Promise<void> {
    const own = this.own.get(id)
    this.own.delete(id)
    if (own?.isWritten !== false)
      this.#write((run) => this.#db.run('DELETE FROM item WHERE id = ? AND run = ?', id, run))
  }

  async unknown(id: string): Promise<boolean> {
    const own = this.own.get(id)
    this.own.delete(id)
    if (own?.isWritten === false) return false
    // When the attempts of an earlier run ended is as unknown as before.
    const sql = `UPDATE item SET run = NULL, ended_at = CASE state WHEN 'unknown' THEN ended_at ELSE ? END, state = 'unknown'
      WHERE id = ? AND run = ?`
    return this.#write((run) => {
      this.#db.run(`DELETE FROM item WHERE id = ? AND run = ? AND state = 'claimed'`, id, run)
      return this.#db.run(sql, this.#steady.now(), id, run).changes > 0
    })
  }

  async leftOpen(): Promise<readonly OpenItem[]> {
    const sql = `SELECT * FROM item WHERE account = ? AND state <> 'claimed' AND at >= ? ORDER BY seq`
    const rows = this.#db.read(() => this.#db.all(sql, this.#account, this.#clock.now() - KEPT_MS))
    return rows.filter((row) => this.#isOver(row)).map(toOpenItem)
  }

  async takeOver(id: string): Promise<boolean> {
    return this.#write((run) => {
      const row = this.#db.get('SELECT * FROM item WHERE id = ?', id)
      if (row === undefined || !this.#isOver(row)) return false
      this.#take(row, run)
      return true
    })
  }

  async underway(): Promise<readonly Underway[]> {
    const sql = `SELECT * FROM item WHERE account = ? AND state <> 'claimed' AND run IS NOT NULL ORDER BY seq`
    const rows = this.#db.read(() => this.#db.all(sql, this.#account))
    const atWork = rows.filter((row) => this.#isAtWork(row))
    return atWork.map(({ id, size, mime_type, sha256, state }) => ({
      id: String(id),
      size: Number(size),
      mimeType: String(mime_type ?? ''),
      sha256: String(sha256 ?? ''),
      isLooking: state !== 'sending',
    }))
  }

  async owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const sql = 'SELECT slug, sha256 FROM upload WHERE account = ? AND slug = ?'
    const rows = this.#db.read(() => slugs.flatMap((slug) => this.#db.all(sql, this.#account, slug)))
    return new Map(rows.map(({ slug, sha256 }) => [String(slug), String(sha256)]))
  }

  async latestSlugs(): Promise<readonly string[]> {
    const sql = `SELECT slug FROM upload WHERE account = ? ORDER BY seq DESC LIMIT ${LATEST}`
    return this.#db.read(() => this.#db.all(sql, this.#account).map(({ slug }) => String(slug)))
  }

  async keeps(mimeType: string): Promise<boolean> {
    const has = (isKept: 0 | 1) => this.#has('upload', 'mime_type = ? AND is_kept = ?', mimeType, isKept)
    return this.#db.read(() => has(1) && !has(0))
  }

  async seen({ content, path, mimeType, upload, at, seenAt }: SeenUpload): Promise<void> {
    const now = this.#clock.now()
    const seen = { at: at ?? now, seenAt: seenAt ?? now, isListed: true }
    this.#write((run) => this.#upsert({ ...content, path, mimeType }, upload, run, seen))
  }

  async deleting(slug: string): Promise<void> {
    this.#write(() =>
      this.#db.run('UPDATE upload SET shown = NULL WHERE account = ? AND slug = ?', this.#account, slug),
    )
  }

  async forget(slugs: readonly string[]): Promise<void> {
    if (slugs.length === 0) return
    const sql = 'DELETE FROM upload WHERE account = ? AND slug = ?'
    this.#write(() => slugs.forEach((slug) => void this.#db.run(sql, this.#account, slug)))
  }

  async mayAdopt(): Promise<boolean> {
    return this.#db.read(() => {
      const others = this.#db.get(
        `SELECT 1 FROM account WHERE address = ? AND key_hash <> ?
          AND EXISTS (SELECT 1 FROM upload WHERE upload.account = key_hash)`,
        this.#address,
        this.#account,
      )
      return others !== undefined && !this.#has('upload') && !this.#has('item')
    })
  }

  async adopt(slugs: readonly string[]): Promise<void> {
    const sql = `SELECT account FROM upload JOIN account ON key_hash = account
      WHERE address = ? AND account <> ? AND slug = ?`
    this.#write(() => {
      const found = slugs.flatMap((slug) => this.#db.all(sql, this.#address, this.#account, slug))
      const other = found[0]?.['account']
      if (other === undefined) return
      this.#enter()
      this.#db.run('UPDATE OR REPLACE upload SET account = ? WHERE account = ?', this.#account, other)
      this.#db.run('UPDATE OR IGNORE item SET account = ? WHERE account = ?', this.#account, other)
      this.#db.run('DELETE FROM account WHERE key_hash = ?', other)
    })
  }

  async forgetAccount(): Promise<number> {
    return this.#write(() => {
      const items = this.#db.all('SELECT id, run FROM item WHERE account = ?', this.#account)
      const atWork = items.filter((row) => this.#isAtWork(row))
      const left = items.filter((row) => !atWork.includes(row))
      for (const { id = '' } of left) this.#db.run('DELETE FROM item WHERE id = ?', id)
      this.#db.run('DELETE FROM upload WHERE account = ?', this.#account)
      if (atWork.length === 0) this.#db.run('DELETE FROM account WHERE key_hash = ?', this.#account)
      return new Set(atWork.map(({ run }) => run)).size
    })
  }

  /** What this run has claimed ends with it, and what it has begun to send is left to the next one. */
  async close(): Promise<void> {
    const now = this.#clock.now()
    const tidy = (run: RunId) => {
      this.#db.run(`DELETE FROM item WHERE run = ? AND state = 'claimed'`, run)
      this.#db.run(`UPDATE item SET run = NULL, state = 'unknown' WHERE run = ?`, run)
      this.#db.run('UPDATE upload SET shown = NULL WHERE shown IS NOT NULL AND seen_at < ?', now - FRESH_MS)
    }
    try {
      if (this.#hasWritten) this.#write(tidy)
    } catch (error) {
      // The next run takes over what this one leaves.
      if (!(error instanceof StoreError)) throw error
    } finally {
      this.#db.close()
      this.#db.runs.sweep(now)
    }
  }

  /** What this run claims was begun elsewhere: it finds out about it. */
  protected async foundOpen(id: string, attempt: Attempt): Promise<OpenItem | undefined> {
    const sql = `UPDATE item SET state = 'unknown', mime_type = ?, attempt = ? WHERE id = ?`
    return this.#write((run) => {
      this.#db.run(sql, attempt.mimeType, JSON.stringify(attempt), id)
      const row = this.#db.get('SELECT * FROM item WHERE id = ?', id)
      return row && this.#take(row, run)
    })
  }

  #write<Result>(work: (run: RunId) => Result): Result {
    this.#hasWritten = true
    return this.#db.write(() => work(this.#db.me()))
  }

  /** Whether the account has such a row. */
  #has(table: 'item' | 'upload', where = 'true', ...values: readonly SQLInputValue[]): boolean {
    const sql = `SELECT 1 FROM ${table} WHERE account = ? AND ${where} LIMIT 1`
    return this.#db.get(sql, this.#account, ...values) !== undefined
  }

  /** Whether something of this size was stored, or is being sent. */
  #hasRival(size: number): boolean {
    const isSent = this.#ownSending().some((own) => own.size === size)
    return isSent || this.#has('upload', 'size = ?', size) || this.#has('item', 'size = ?', size)
  }

  #ownSending(): readonly OwnFile[] {
    return [...this.own.values()].filter(({ isSending }) => isSending)
  }

  #isAtWork({ run }: Row): boolean {
    return typeof run === 'string' && this.#db.runs.lives(run)
  }

  /** Whether the run of an item has ended, or looks for it no longer: on a network disk nothing tells whether it has ended. */
  #isOver(row: Row): boolean {
    return row['run'] === null || (!this.#isNetwork && !this.#isAtWork(row))
  }

  /** @returns undefined for a run that may be one of another machine, whose processes have other numbers */
  #holder({ run, path }: Row): Holder | undefined {
    if (this.#isNetwork && !this.#db.runs.isOwn(run)) return undefined
    return { pid: processOf(String(run)), path: String(path), isOwn: this.#db.runs.isOwn(run) }
  }

  #claim(id: string, file: ClaimedFile, run: RunId): ClaimStatus {
    const { size, sha256 } = file
    if (file.isForced) return this.#insert(id, file, run)
    if (this.#has('upload', 'size = ? AND sha256 = ?', size, sha256)) return { type: 'stored' }
    const rivals = this.#db.all(
      `SELECT * FROM item WHERE account = ? AND (sha256 = ? OR (sha256 IS NULL AND size = ? AND run IS NOT NULL))
      ORDER BY seq`,
      this.#account,
      sha256,
      size,
    )
    const holder = rivals.find((row) => this.#isAtWork(row))
    if (holder) {
      const sql = 'UPDATE item SET is_awaited = 1 WHERE account = ? AND size = ? AND sha256 IS NULL AND is_awaited = 0'
      this.#db.run(sql, this.#account, size)
      return { type: 'waits', holder: this.#holder(holder) }
    }
    const own = this.#ownSending().find((one) => one.sha256 === sha256)
    if (own) return { type: 'waits', holder: { pid: processOf(run), path: own.path, isOwn: true } }
    if (rivals.some((row) => !this.#isOver(row))) return { type: 'doubtful' }
    const isOld = ({ at }: Row) => Number(at) < this.#clock.now() - KEPT_MS
    const left = rivals.find((row) => row['state'] !== 'claimed' && !isOld(row))
    if (left) return { type: 'open', item: this.#take(left, run) }
    // Nothing of them was sent, or long ago.
    for (const { id: old = '' } of rivals) this.#db.run('DELETE FROM item WHERE id = ?', old)
    return this.#insert(id, file, run)
  }

  /** Before the first row of the account. */
  #enter(): void {
    this.#db.run('INSERT OR IGNORE INTO account VALUES (?, ?)', this.#account, this.#address)
  }

  #insert(id: string, { path, size, sha256, isForced }: ClaimedFile, run: RunId): ClaimStatus {
    this.#enter()
    const sql = `INSERT INTO item (id, account, run, state, path, size, sha256, is_forced, at)
      VALUES (?, ?, ?, 'claimed', ?, ?, ?, ?, ?)`
    this.#db.run(sql, id, this.#account, run, path, size, sha256 || null, Number(isForced), this.#clock.now())
    return { type: 'mine', id }
  }

  #take(row: Row, run: RunId): OpenItem {
    const item = toOpenItem(row)
    this.#db.run(`UPDATE item SET run = ?, state = 'unknown' WHERE id = ?`, run, item.id)
    const { mimeType } = item.attempt
    this.own.set(item.id, { ...item, mimeType, isForced: false, isWritten: true, isSending: true })
    return item
  }

  #store(id: string, own: OwnFile | undefined, upload: Upload, run: RunId, isListed: boolean): void {
    const row = this.#db.get('SELECT path, size, sha256, mime_type AS mimeType FROM item WHERE id = ?', id)
    const item = row ?? (own?.isSending ? own : undefined)
    if (item === undefined) return
    const now = this.#clock.now()
    const content = { size: Number(item['size']), sha256: String(item['sha256'] ?? '') }
    const file = { ...content, path: String(item['path']), mimeType: String(item['mimeType'] ?? '') }
    this.#upsert(file, upload, run, { at: now, seenAt: now, isListed })
    this.#db.run('DELETE FROM item WHERE id = ?', id)
  }

  /** Of an upload that is known already name and time stay: they are those of the upload, not those of a later look. */
  #upsert(
    { path, size, sha256, mimeType }: Content & Pick<SeenUpload, 'path' | 'mimeType'>,
    upload: Upload,
    run: RunId,
    { at, seenAt, isListed }: { readonly at: number; readonly seenAt: number; readonly isListed: boolean },
  ): void {
    const isKept = mimeType ? Number(upload.size === size && essence(upload.mime_type) === essence(mimeType)) : null
    this.#enter()
    this.#db.run(
      `INSERT INTO upload (account, slug, size, sha256, name, mime_type, is_kept, at, seen_at, is_listed, run, shown)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, slug) DO UPDATE SET
      size = excluded.size, sha256 = excluded.sha256, mime_type = coalesce(excluded.mime_type, mime_type),
      is_kept = coalesce(excluded.is_kept, is_kept), seen_at = excluded.seen_at,
      is_listed = max(is_listed, excluded.is_listed), run = excluded.run, shown = excluded.shown`,
      ...[this.#account, upload.slug, size, sha256, nameOf(path), mimeType || null, isKept],
      ...[at, seenAt, Number(isListed), run, JSON.stringify(upload)],
    )
  }

  #toKnown({ slug, name, at, seen_at, is_listed, is_late, run, shown }: Row): KnownUpload {
    const age = this.#clock.now() - Number(seen_at)
    const isFresh = this.#db.runs.isOwn(run) || (age >= 0 && age <= FRESH_MS)
    return {
      slug: String(slug),
      name: String(name),
      at: Number(at),
      isUnlisted: is_listed === 0 && is_late === 1,
      upload: isFresh && typeof shown === 'string' ? parseUpload(shown) : undefined,
    }
  }
}

/** What is kept of an upload: links are made of the fields that are text. */
export const keptUpload = anObjectHaving({
  slug: aText,
  url: aText,
  direct_url: aText,
  mime_type: aText,
  size: anything,
  created_at: anything,
}) as unknown as Kind<Upload>

function parseUpload(text: string): Upload | undefined {
  return isTooDeep(text) ? undefined : readJson(keptUpload, text)
}

function toOpenItem({ id, path, size, sha256, attempt, ended_at }: Row): OpenItem {
  return {
    id: String(id),
    path: String(path),
    size: Number(size),
    sha256: String(sha256 ?? ''),
    // Written by this program alone.
    attempt: JSON.parse(String(attempt)) as Attempt,
    endedAt: typeof ended_at === 'number' ? ended_at : null,
  }
}

/** The base name of a path in the store; what is not read from a path has a `-` and its name there. */
export function nameOf(path: string): string {
  return path.startsWith('-') ? path.slice(1) : basename(path)
}
