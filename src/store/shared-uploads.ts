import type { Clock } from '../clock.ts'
import type { Upload } from '../protocol/resources.ts'
import type { RedisUploads, SharedItem, SharedUpload } from './redis-uploads.ts'
import { StoreError } from './sqlite.ts'
import type { SqliteUploads } from './sqlite-uploads.ts'
import { nameOf } from './upload-rows.ts'
import type {
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

export interface SharedUploadsOptions {
  /** What this machine knows. */
  readonly local: SqliteUploads
  /** What all runners of the key know. */
  readonly redis: RedisUploads
  readonly clock: Clock
  /** Called with how long Redis is waited for, because it has lost something or is new. */
  readonly onSettling: (ms: number) => void
}

/** A content of this run in Redis. */
interface OwnItem extends Content {
  readonly path: string
  mimeType: string
}

/**
 * The uploads of an account as all runners of its key know them, and this machine: a content is claimed here first, and then
 * among all. What others have stored comes to the store of this machine, where it counts like what this machine has seen.
 */
export class SharedUploads implements UploadStore {
  readonly #options: SharedUploadsOptions
  readonly #local: SqliteUploads
  readonly #redis: RedisUploads
  /** By the name of the item. */
  readonly #own = new Map<string, OwnItem>()
  /** Items of runs that are gone, which this one finds out about. */
  readonly #taken = new Map<string, OwnItem>()
  /** What runs of this machine have left open. */
  readonly #left = new Map<string, OpenItem>()
  readonly #asked = new Set<string>()
  #isSettlingTold = false

  constructor(options: SharedUploadsOptions) {
    this.#options = options
    this.#local = options.local
    this.#redis = options.redis
  }

  /** Every file is hashed before it is sent. */
  async hasSize(): Promise<boolean> {
    return true
  }

  async expect(contents: readonly Content[]): Promise<void> {
    const found = await this.#redis.look(contents.map(({ sha256 }) => sha256))
    for (const content of contents) {
      this.#asked.add(content.sha256)
      const upload = found.get(content.sha256)
      if (upload) await this.#take(content, upload)
    }
  }

  async known(content: Content): Promise<readonly KnownUpload[]> {
    if (content.sha256 !== '' && !this.#asked.has(content.sha256)) await this.expect([content])
    return await this.#local.known(content)
  }

  async claim(file: ClaimedFile): Promise<ClaimStatus> {
    if (file.sha256 === '' && !file.isForced) return { type: 'needs-hash' }
    const here = await this.#local.claim(file)
    if (here.type === 'open') this.#inherit(here.item)
    if (here.type !== 'mine' || file.isForced) return here
    const status = await this.#claimAmongAll(here.id, file)
    if (status.type !== 'mine') await this.#local.notStored(here.id)
    return status
  }

  hashed(id: string, sha256: string): Promise<void> {
    return this.#local.hashed(id, sha256)
  }

  async intend(id: string, attempt: Attempt): Promise<boolean> {
    const own = this.#own.get(id)
    if (own) own.mimeType = attempt.mimeType
    if (own && !(await this.#redis.intend(id, own.sha256, attempt))) return false
    return await this.#local.intend(id, attempt)
  }

  async looking(id: string): Promise<void> {
    await this.#local.looking(id)
    const own = this.#own.get(id)
    if (own) await this.#redis.looking(id, own.sha256)
  }

  async claimed(id: string): Promise<'mine' | 'awaited' | 'lost'> {
    const own = this.#own.get(id)
    if (own && this.#redis.isDoubtful()) return 'lost'
    const here = await this.#local.claimed(id)
    return own && !(await this.#redis.check(id, own.sha256)) ? 'lost' : here
  }

  async stored(id: string, upload: Upload): Promise<void> {
    await this.#local.stored(id, upload)
    const own = this.#own.get(id)
    this.#own.delete(id)
    if (own) await this.#redis.store(id, own.sha256, describe(own, upload), false)
  }

  async found(id: string, upload: Upload): Promise<boolean> {
    const own = this.#own.get(id) ?? this.#taken.get(id)
    if (own && !(await this.#redis.store(id, own.sha256, describe(own, upload), true))) return false
    const taken = this.#taken.get(id)
    if (taken) await this.#local.seen({ content: taken, path: taken.path, mimeType: taken.mimeType, upload })
    else if (!(await this.#local.found(id, upload))) return false
    this.#own.delete(id)
    this.#taken.delete(id)
    return true
  }

  async notStored(id: string): Promise<void> {
    const own = this.#own.get(id) ?? this.#taken.get(id)
    this.#own.delete(id)
    this.#taken.delete(id)
    await this.#local.notStored(id)
    if (own) await this.#redis.drop(id, own.sha256)
  }

  async unknown(id: string): Promise<boolean> {
    const own = this.#own.get(id) ?? this.#taken.get(id)
    this.#own.delete(id)
    this.#taken.delete(id)
    const isOpen = await this.#local.unknown(id)
    if (own) await this.#redis.leave(id, own.sha256)
    return isOpen
  }

  async leftOpen(): Promise<readonly OpenItem[]> {
    const items = await this.#local.leftOpen()
    for (const item of items) this.#left.set(item.id, item)
    return items
  }

  async takeOver(id: string): Promise<boolean> {
    const isMine = await this.#local.takeOver(id)
    const item = this.#left.get(id)
    if (isMine && item) this.#inherit(item)
    return isMine
  }

  async underway(): Promise<readonly Underway[]> {
    const here = await this.#local.underway()
    const ids = new Set(here.map(({ id }) => id))
    const others = (await this.#redis.underway()).filter(({ id }) => !ids.has(id))
    const elsewhere = others.map(({ id, size, sha256, attempt, isLooking }) => {
      return { id, size, sha256, mimeType: attempt.mimeType, isLooking }
    })
    return [...elsewhere, ...here]
  }

  async owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map([...(await this.#redis.owners(slugs)), ...(await this.#local.owners(slugs))])
  }

  latestSlugs(): Promise<readonly string[]> {
    return this.#local.latestSlugs()
  }

  keeps(mimeType: string): Promise<boolean> {
    return this.#local.keeps(mimeType)
  }

  async seen(seen: SeenUpload): Promise<void> {
    await this.#local.seen(seen)
    const { content, path, mimeType, upload } = seen
    if (content.sha256 === '') return
    await this.#redis.store('', content.sha256, { name: nameOf(path), mimeType, upload }, false)
  }

  deleting(slug: string): Promise<void> {
    return this.#local.deleting(slug)
  }

  kept(slug: string): Promise<void> {
    return this.#local.kept(slug)
  }

  async forget(slugs: readonly string[]): Promise<void> {
    await this.#local.forget(slugs)
    await this.#redis.forget(slugs)
  }

  mayAdopt(): Promise<boolean> {
    return this.#local.mayAdopt()
  }

  adopt(slugs: readonly string[]): Promise<void> {
    return this.#local.adopt(slugs)
  }

  forgetAccount(): Promise<readonly Holder[] | undefined> {
    return this.#local.forgetAccount()
  }

  doubtedMs(): number | undefined {
    return this.#redis.doubtedMs()
  }

  /** What this run has still open is left to the next one, here and there. */
  async close(): Promise<void> {
    try {
      for (const [id, { sha256 }] of [...this.#own, ...this.#taken]) await this.#redis.leave(id, sha256)
    } catch (error) {
      // Its lease ends by itself.
      if (!(error instanceof StoreError)) throw error
    } finally {
      await this.#redis.close()
      await this.#local.close()
    }
  }

  async #claimAmongAll(id: string, file: ClaimedFile): Promise<ClaimStatus> {
    for (;;) {
      const status = await this.#redis.claim(id, file, `-${nameOf(file.path)}`)
      switch (status.type) {
        case 'mine':
          this.#own.set(id, { ...file, mimeType: '' })
          return { type: 'mine', id }
        case 'stored':
          await this.#take(file, status.found)
          return status
        case 'open':
          return { type: 'open', item: this.#takeOver(status.item, file) }
        case 'waits':
          // The lease need not run out where this machine knows better.
          if (!(await this.#local.isOver(status.id))) return { type: 'waits', holder: undefined }
          await this.#redis.giveUp(status.run)
          break
        case 'settling':
          if (!this.#isSettlingTold) this.#options.onSettling(status.ms)
          this.#isSettlingTold = true
          return { type: 'settling', ms: status.ms }
      }
    }
  }

  /** What becomes of an upload of an ended run of this machine all are to know, too. */
  #inherit({ id, path, size, sha256, attempt }: OpenItem): void {
    if (sha256 !== '') this.#own.set(id, { path, size, sha256, mimeType: attempt.mimeType })
  }

  /** Its own path is another machine's: the file of the same content is here. */
  #takeOver({ id, size, attempt }: SharedItem, { path, sha256 }: ClaimedFile): OpenItem {
    this.#taken.set(id, { path, size, sha256, mimeType: attempt.mimeType })
    // The clocks of two machines may differ by any time: nothing is known of it but that it was before now.
    const { monotonic: _, ...rest } = attempt
    return { id, path, size, sha256, attempt: rest, endedAt: null }
  }

  /** Takes over what another runner has stored. */
  async #take(content: Content, { name, mimeType, upload, ageMs }: SharedUpload): Promise<void> {
    const seenAt = this.#options.clock.now() - ageMs
    const known = (await this.#local.known(content)).find(({ slug }) => slug === upload.slug)
    if (known?.upload !== undefined) return
    const at = known?.at ?? (Date.parse(upload.created_at) || seenAt)
    await this.#local.seen({ content, path: `-${name}`, mimeType, upload, at, seenAt })
  }
}

function describe({ path, mimeType }: OwnItem, upload: Upload): Omit<SharedUpload, 'ageMs'> {
  return { name: nameOf(path), mimeType: mimeType || undefined, upload }
}
