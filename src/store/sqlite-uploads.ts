import { type Clock, steadyClock } from '../clock.ts'
import { essence } from '../protocol/media-types.ts'
import type { Upload } from '../protocol/resources.ts'
import type { RunId } from './runs.ts'
import { StoreError } from './store-error.ts'
import { AccountRows } from './upload-accounts.ts'
import { UploadFile, type UploadFileOptions } from './upload-file.ts'
import { nameOf, parseUpload, type Row, toOpenItem } from './upload-rows.ts'
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

export interface SqliteUploadsOptions extends UploadFileOptions {
  readonly account: Account
  readonly clock: Clock
}

/** What was stored or seen this recently is present without asking (docs/exactly-once.md). */
export const FRESH_MS = 10_000
/** Older open items are not looked for any more. */
const KEPT_MS = 30 * 86_400_000
/** Of so many latest uploads a service with a lag may not show one yet. Clocks may be set: no age tells. */
const UNLISTED = 200
const LATEST = 1_000

/** A file of this run. */
interface OwnFile extends ClaimedFile {
  /** What was not hashed is in the store from its first attempt. */
  isWritten: boolean
}

/** The uploads of one account in SQLite: in a file that all runs of a machine share, or in memory for one run. */
export class SqliteUploads implements UploadStore {
  readonly #file: UploadFile
  readonly #accounts: AccountRows
  readonly #clock: Clock
  /** As the client's, so that times of attempts can be compared. */
  readonly #steady: Clock
  readonly #own = new Map<string, OwnFile>()
  readonly #prefix = Math.random().toString(36).slice(2)
  #named = 0
  #hasWritten = false

  /** @throws StoreError `busy` */
  constructor({ account, clock, ...file }: SqliteUploadsOptions) {
    this.#clock = clock
    this.#steady = steadyClock(clock)
    this.#file = new UploadFile(file)
    this.#accounts = new AccountRows(this.#file, account, clock)
  }

  async hasSize(size: number): Promise<boolean> {
    return this.#file.read(
      () =>
        this.#get('SELECT 1 FROM upload WHERE account = ? AND size = ? LIMIT 1', this.#accounts.id(), size) !==
        undefined,
    )
  }

  async expect(_: readonly Content[] = []): Promise<void> {}

  doubtedMs(): number | undefined {
    return undefined
  }

  async known({ size, sha256 }: Content): Promise<readonly KnownUpload[]> {
    return this.#file.read(() => {
      if (sha256 === '') return []
      const rows = this.#all(
        `SELECT *, seq > (SELECT max(seq) FROM upload) - ${UNLISTED} AS is_late FROM upload
        WHERE account = ? AND size = ? AND sha256 = ? ORDER BY at DESC, seq DESC`,
        this.#accounts.id(),
        size,
        sha256,
      )
      const uploads = rows.map((row) => this.#toKnown(row))
      return uploads.sort((one, other) => Number(other.upload !== undefined) - Number(one.upload !== undefined))
    })
  }

  async claim(file: ClaimedFile): Promise<ClaimStatus> {
    this.#named += 1
    const id = `${this.#file.name()}.${this.#prefix}-${this.#named}`
    if (file.sha256 === '') {
      if (!file.isForced && this.#file.read(() => this.#hasRival(file.size))) return { type: 'needs-hash' }
      this.#own.set(id, { ...file, isWritten: false })
      return { type: 'mine', id }
    }
    this.#file.look()
    const status = this.#write((run) => this.#claim(id, file, run))
    if (status.type === 'mine') this.#own.set(id, { ...file, isWritten: true })
    return status
  }

  async hashed(id: string, sha256: string): Promise<void> {
    this.#write((run) => {
      const { changes } = this.#run('UPDATE OR IGNORE item SET sha256 = ? WHERE id = ? AND run = ?', sha256, id, run)
      if (Number(changes) > 0) return
      // The same content was claimed meanwhile: both were sent already.
      this.#run('UPDATE item SET sha256 = ?, is_forced = 1 WHERE id = ? AND run = ?', sha256, id, run)
    })
  }

  async intend(id: string, attempt: Attempt): Promise<boolean> {
    const own = this.#own.get(id)
    if (own === undefined) return false
    const isMine = this.#write((run) => {
      // What has this size now may have the content: the hash tells.
      if (!own.isWritten && !own.isForced && this.#hasRival(own.size)) return false
      if (!own.isWritten) this.#insert(id, own, run)
      const { changes } = this.#run(
        `UPDATE item SET state = 'sending', size = ?, mime_type = ?, attempt = ?, at = ? WHERE id = ? AND run = ?`,
        attempt.size ?? own.size,
        attempt.mimeType,
        JSON.stringify(attempt),
        attempt.startedAt,
        id,
        run,
      )
      return Number(changes) === 1
    })
    own.isWritten ||= isMine
    return isMine
  }

  async looking(id: string): Promise<void> {
    this.#write((run) => this.#run(`UPDATE item SET state = 'looking' WHERE id = ? AND run = ?`, id, run))
  }

  async claimed(id: string): Promise<'mine' | 'awaited' | 'lost'> {
    const own = this.#own.get(id)
    if (own === undefined) return 'lost'
    if (!own.isWritten) return 'mine'
    this.#file.look()
    return this.#file.read(() => {
      const row = this.#get('SELECT run, sha256, is_awaited FROM item WHERE id = ?', id)
      if (row === undefined || row['run'] !== this.#file.run) return 'lost'
      return row['is_awaited'] === 1 && row['sha256'] === null ? 'awaited' : 'mine'
    })
  }

  async stored(id: string, upload: Upload): Promise<void> {
    this.#own.delete(id)
    this.#write((run) => void this.#store(id, upload, run, false))
  }

  async found(id: string, upload: Upload): Promise<boolean> {
    const isFree = this.#write((run) => {
      if (this.#ownerOf(upload.slug) !== undefined) return false
      this.#store(id, upload, run, true)
      return true
    })
    if (isFree) this.#own.delete(id)
    return isFree
  }

  async notStored(id: string): Promise<void> {
    const own = this.#own.get(id)
    this.#own.delete(id)
    if (own?.isWritten !== false) this.#write((run) => this.#run('DELETE FROM item WHERE id = ? AND run = ?', id, run))
  }

  async unknown(id: string): Promise<boolean> {
    const own = this.#own.get(id)
    this.#own.delete(id)
    if (own?.isWritten === false) return false
    return this.#write((run) => {
      this.#run(`DELETE FROM item WHERE id = ? AND run = ? AND state = 'claimed'`, id, run)
      // When the attempts of an earlier run ended is as unknown as before.
      const { changes } = this.#run(
        `UPDATE item SET run = NULL, ended_at = CASE state WHEN 'unknown' THEN ended_at ELSE ? END, state = 'unknown'
        WHERE id = ? AND run = ?`,
        this.#steady.now(),
        id,
        run,
      )
      return Number(changes) > 0
    })
  }

  /** Whether the item of this name belongs to a run of this machine that has ended. */
  async isOver(id: string): Promise<boolean> {
    return this.#file.read(() => {
      const [run = ''] = id.split('.')
      return this.#get('SELECT 1 FROM run WHERE name = ?', run) !== undefined && !this.#file.lives(run)
    })
  }

  async leftOpen(): Promise<readonly OpenItem[]> {
    return this.#file.read(() => {
      const since = this.#clock.now() - KEPT_MS
      const rows = this.#all(
        `SELECT * FROM item WHERE account = ? AND state <> 'claimed' AND at >= ? ORDER BY seq`,
        this.#accounts.id(),
        since,
      )
      return rows.filter((row) => this.#isOver(row)).map(toOpenItem)
    })
  }

  async takeOver(id: string): Promise<boolean> {
    return this.#write((run) => {
      const row = this.#get('SELECT * FROM item WHERE id = ?', id)
      if (row === undefined || !this.#isOver(row)) return false
      this.#take(row, run)
      return true
    })
  }

  async underway(): Promise<readonly Underway[]> {
    return this.#file.read(() =>
      this.#all(
        `SELECT * FROM item WHERE account = ? AND state <> 'claimed' AND run IS NOT NULL ORDER BY seq`,
        this.#accounts.id(),
      )
        .filter(({ run }) => this.#file.lives(String(run)))
        .map(({ id, size, mime_type, sha256, state }) => ({
          id: String(id),
          size: Number(size),
          mimeType: String(mime_type ?? ''),
          sha256: String(sha256 ?? ''),
          isLooking: state !== 'sending',
        })),
    )
  }

  async owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#file.read(() => {
      const owners = slugs.map((slug) => [slug, this.#ownerOf(slug)] as const)
      return new Map(owners.flatMap(([slug, sha256]) => (sha256 === undefined ? [] : [[slug, sha256] as const])))
    })
  }

  async latestSlugs(): Promise<readonly string[]> {
    return this.#file.read(() =>
      this.#all(`SELECT slug FROM upload WHERE account = ? ORDER BY seq DESC LIMIT ${LATEST}`, this.#accounts.id()).map(
        ({ slug }) => String(slug),
      ),
    )
  }

  async keeps(mimeType: string): Promise<boolean> {
    return this.#file.read(() => {
      const has = (isKept: 0 | 1) =>
        this.#get(
          'SELECT 1 FROM upload WHERE account = ? AND mime_type = ? AND is_kept = ? LIMIT 1',
          this.#accounts.id(),
          mimeType,
          isKept,
        ) !== undefined
      return has(1) && !has(0)
    })
  }

  async seen({ content, path, mimeType, upload, at, seenAt }: SeenUpload): Promise<void> {
    this.#write((run) => {
      const now = this.#clock.now()
      const seen = { at: at ?? now, seenAt: seenAt ?? now, isListed: true }
      this.#upsert({ ...content, path, mimeType }, upload, run, seen)
    })
  }

  async deleting(slug: string): Promise<void> {
    this.#write((run) => {
      this.#accounts.nameRun(run)
      this.#run('UPDATE upload SET deleter = ? WHERE account = ? AND slug = ?', run, this.#accounts.id(), slug)
    })
  }

  async kept(slug: string): Promise<void> {
    this.#write(() =>
      this.#run('UPDATE upload SET deleter = NULL WHERE account = ? AND slug = ?', this.#accounts.id(), slug),
    )
  }

  async forget(slugs: readonly string[]): Promise<void> {
    if (slugs.length === 0) return
    this.#write(() => {
      for (const slug of slugs)
        this.#run('DELETE FROM upload WHERE account = ? AND slug = ?', this.#accounts.id(), slug)
    })
  }

  async mayAdopt(): Promise<boolean> {
    return this.#file.read(() => this.#accounts.mayAdopt())
  }

  async adopt(slugs: readonly string[]): Promise<void> {
    this.#write(() => this.#accounts.adopt(slugs))
  }

  async forgetAccount(): Promise<readonly Holder[] | undefined> {
    return this.#write(() => this.#accounts.forget())
  }

  async close(): Promise<void> {
    const now = this.#clock.now()
    try {
      if (this.#hasWritten) this.#write((run) => this.#tidy(run, now))
    } catch (error) {
      // The next run takes over what this one leaves.
      if (!(error instanceof StoreError)) throw error
    } finally {
      this.#file.close(now)
    }
  }

  #write<Result>(work: (run: RunId) => Result): Result {
    this.#hasWritten = true
    return this.#file.write(work)
  }

  #get(sql: string, ...values: readonly unknown[]): Row | undefined {
    return this.#file.sql(sql).get(...(values as string[]))
  }

  #all(sql: string, ...values: readonly unknown[]): readonly Row[] {
    return this.#file.sql(sql).all(...(values as string[]))
  }

  #run(sql: string, ...values: readonly unknown[]) {
    return this.#file.sql(sql).run(...(values as string[]))
  }

  /** Whether something of this size was stored, or is being sent. */
  #hasRival(size: number): boolean {
    const account = this.#accounts.id()
    const either =
      'SELECT 1 FROM upload WHERE account = ? AND size = ? UNION ALL SELECT 1 FROM item WHERE account = ? AND size = ?'
    return this.#get(`${either} LIMIT 1`, account, size, account, size) !== undefined
  }

  #ownerOf(slug: string): string | undefined {
    const row = this.#get('SELECT sha256 FROM upload WHERE account = ? AND slug = ?', this.#accounts.id(), slug)
    return row && String(row['sha256'])
  }

  /** Whether the run of an item has ended, or looks for it no longer: on a network disk nothing tells whether it has ended. */
  #isOver({ run }: Row): boolean {
    return run === null || (!this.#file.isNetwork && !this.#file.lives(String(run)))
  }

  #claim(id: string, file: ClaimedFile, run: RunId): ClaimStatus {
    const { size, sha256 } = file
    const account = this.#accounts.ownId()
    if (file.isForced) return this.#insert(id, file, run)
    if (this.#get('SELECT 1 FROM upload WHERE account = ? AND size = ? AND sha256 = ? LIMIT 1', account, size, sha256))
      return { type: 'stored' }
    const rivals = this.#all(
      `SELECT * FROM item WHERE account = ? AND (sha256 = ? OR (sha256 IS NULL AND size = ? AND run IS NOT NULL))
      ORDER BY seq`,
      account,
      sha256,
      size,
    )
    const working = rivals.filter(({ run: other }) => other !== null && this.#file.lives(String(other)))
    const [holder] = working
    if (holder) {
      // What is to be forgotten stays as long as a run may wait for it.
      this.#accounts.nameRun(run)
      this.#run(
        `UPDATE item SET is_awaited = 1 WHERE account = ? AND size = ? AND sha256 IS NULL AND is_awaited = 0`,
        account,
        size,
      )
      return { type: 'waits', holder: this.#accounts.holder(holder) }
    }
    if (rivals.some((row) => !this.#isOver(row))) return { type: 'doubtful' }
    const isOld = ({ at }: Row) => Number(at) < this.#clock.now() - KEPT_MS
    const [left] = rivals.filter((row) => row['state'] !== 'claimed' && !isOld(row))
    if (left) return { type: 'open', item: this.#take(left, run) }
    // Nothing of them was sent, or long ago.
    for (const row of rivals) this.#run('DELETE FROM item WHERE id = ?', row['id'])
    return this.#insert(id, file, run)
  }

  #insert(id: string, { path, size, sha256, isForced }: ClaimedFile, run: RunId): ClaimStatus {
    this.#accounts.nameRun(run)
    this.#run(
      `INSERT INTO item (id, account, run, state, path, size, sha256, is_forced, at)
      VALUES (?, ?, ?, 'claimed', ?, ?, ?, ?, ?)`,
      id,
      this.#accounts.ownId(),
      run,
      path,
      size,
      sha256 || null,
      Number(isForced),
      this.#clock.now(),
    )
    return { type: 'mine', id }
  }

  #take(row: Row, run: RunId): OpenItem {
    this.#accounts.nameRun(run)
    this.#run(`UPDATE item SET run = ?, state = 'unknown' WHERE id = ?`, run, row['id'])
    return toOpenItem(row)
  }

  #store(id: string, upload: Upload, run: RunId, isListed: boolean): void {
    const row = this.#get('SELECT * FROM item WHERE id = ?', id)
    if (row === undefined) return
    const now = this.#clock.now()
    const { path, size, sha256, mime_type } = row
    const item = {
      path: String(path),
      size: Number(size),
      sha256: String(sha256 ?? ''),
      mimeType: String(mime_type ?? ''),
    }
    this.#upsert(item, upload, run, { at: now, seenAt: now, isListed })
    this.#run('DELETE FROM item WHERE id = ?', id)
  }

  /** Of an upload that is known already name and time stay: they are those of the upload, not those of a later look. */
  #upsert(
    { path, size, sha256, mimeType }: Content & { readonly path: string; readonly mimeType?: string | undefined },
    upload: Upload,
    run: RunId,
    { at, seenAt, isListed }: { readonly at: number; readonly seenAt: number; readonly isListed: boolean },
  ): void {
    const isKept = mimeType && Number(upload.size === size && essence(upload.mime_type) === essence(mimeType))
    this.#run(
      `INSERT INTO upload (account, slug, size, sha256, name, mime_type, is_kept, at, seen_at, is_listed, run, shown)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account, slug) DO UPDATE SET
      size = excluded.size, sha256 = excluded.sha256, mime_type = coalesce(excluded.mime_type, mime_type),
      is_kept = coalesce(excluded.is_kept, is_kept), seen_at = excluded.seen_at,
      is_listed = max(is_listed, excluded.is_listed), run = excluded.run, shown = excluded.shown`,
      this.#accounts.ownId(),
      upload.slug,
      size,
      sha256,
      nameOf(path),
      mimeType || null,
      isKept === '' || isKept === undefined ? null : isKept,
      at,
      seenAt,
      Number(isListed),
      run,
      JSON.stringify(upload),
    )
  }

  #toKnown(row: Row): KnownUpload {
    const { slug, name, at, seen_at, is_listed, is_late, run, deleter, shown } = row
    const age = this.#clock.now() - Number(seen_at)
    const isFresh = deleter === null && (run === this.#file.run || (age >= 0 && age <= FRESH_MS))
    const isDeleting = deleter !== null && this.#file.lives(String(deleter))
    return {
      slug: String(slug),
      name: String(name),
      at: Number(at),
      isUnlisted: is_listed === 0 && is_late === 1,
      upload: isFresh && shown !== null ? parseUpload(String(shown)) : undefined,
      deleter: isDeleting ? this.#accounts.holder({ run: deleter }) : undefined,
    }
  }

  /** What this run has claimed ends with it, and what it has begun to send is left to the next one. */
  #tidy(run: RunId, now: number): void {
    this.#run(`DELETE FROM item WHERE run = ? AND state = 'claimed'`, run)
    this.#run(`UPDATE item SET run = NULL, state = 'unknown' WHERE run = ?`, run)
    this.#run('UPDATE upload SET shown = NULL WHERE shown IS NOT NULL AND seen_at < ?', now - FRESH_MS)
    this.#accounts.forgetLeft(run)
    const isIdle = (name: unknown) =>
      this.#get('SELECT 1 FROM item WHERE run = ?', name) === undefined && !this.#file.lives(String(name))
    for (const { name } of this.#all('SELECT name FROM run'))
      if (name === run || isIdle(name)) this.#run('DELETE FROM run WHERE name = ?', name)
  }
}
