import { aNumber, anObjectHaving, aText, ifSound, type Kind, readJson } from '../../checks/values.ts'
import type { Clock } from '../../clock.ts'
import type { Upload } from '../../protocol/resources.ts'
import { keptUpload, nameOf, SqliteUploads, type SqliteUploadsOptions } from '../sqlite-uploads.ts'
import { StoreError } from '../store-error.ts'
import type { Attempt, ClaimedFile, ClaimStatus, Content, OpenItem, SeenUpload, Underway } from '../upload-store.ts'
import { lost, type Patience, type RedisSession } from './session.ts'

export interface RedisUploadsOptions extends SqliteUploadsOptions {
  readonly session: RedisSession
  readonly patience: Patience
  /** Called once with how long Redis is waited for, because it has lost something or is new. */
  readonly onSettling: (ms: number) => void
}

type SharedFile = Content & { readonly path: string; readonly mimeType: string }

/** More go in several calls, so that none blocks Redis for long. */
const PER_CALL = 500
const DAY_MS = 86_400_000

const aShared = anObjectHaving({ name: aText, mime_type: ifSound(aText), upload: keptUpload })
const anItem = anObjectHaving({
  id: aText,
  path: aText,
  size: aNumber,
  state: aText,
  at: ifSound(aNumber, 0),
  attempt: ifSound(aText),
})
const anAttempt = anObjectHaving({ mimeType: aText, startedAt: aNumber }) as unknown as Kind<Attempt>

/**
 * The uploads of an account as all runners of its key know them, and this machine: a content is claimed here first, and then
 * among all. What others have stored comes to the store of this machine, where it counts like what this machine has seen.
 *
 * @throws StoreError in each call: once Redis was silent for too long, or has lost what this run knew; then for good
 */
export class RedisUploads extends SqliteUploads {
  readonly #options: RedisUploadsOptions
  readonly #session: RedisSession
  readonly #clock: Clock
  #epoch = ''
  /** Why this run asks no more. */
  #end: StoreError | undefined
  #isSettlingTold = false

  constructor(options: RedisUploadsOptions) {
    super(options)
    this.#options = options
    this.#session = options.session
    this.#clock = options.clock
    this.#session.stayAlive()
  }

  /** Every file is hashed before it is sent. */
  override async hasSize(): Promise<boolean> {
    return true
  }

  override async expect(contents: readonly Content[]): Promise<void> {
    const hashes = contents.map(({ sha256 }) => sha256)
    const found = await this.#askMany(['read', 'uploads'], hashes)
    for (const [index, content] of contents.entries()) await this.#takeKnown(content, found[index] ?? '')
  }

  override async claim(file: ClaimedFile): Promise<ClaimStatus> {
    if (file.sha256 === '' && !file.isForced) return { type: 'needs-hash' }
    const here = await super.claim(file)
    if (here.type !== 'mine' || file.isForced) return here
    const status = await this.#claimAmongAll(here.id, file)
    if (status.type !== 'mine' && status.type !== 'open') await super.notStored(here.id)
    return status
  }

  override async intend(id: string, attempt: Attempt): Promise<boolean> {
    const isMine = await this.#move(id, this.#sharedOf(id), 'sending', JSON.stringify(attempt))
    return isMine && (await super.intend(id, attempt))
  }

  override async looking(id: string): Promise<void> {
    await super.looking(id)
    await this.#move(id, this.#sharedOf(id), 'looking')
  }

  override async claimed(id: string): Promise<'mine' | 'awaited' | 'lost'> {
    const shared = this.#sharedOf(id)
    if (shared && this.#session.isDoubtful()) return 'lost'
    const here = await super.claimed(id)
    return (await this.#move(id, shared, '')) ? here : 'lost'
  }

  override async stored(id: string, upload: Upload): Promise<void> {
    const shared = this.#sharedOf(id)
    await super.stored(id, upload)
    if (shared) await this.#store(id, shared, upload)
  }

  override async found(id: string, upload: Upload): Promise<boolean> {
    const shared = this.#sharedOf(id)
    if (shared && !(await this.#store(id, shared, upload, 'found'))) return false
    return await super.found(id, upload)
  }

  override async notStored(id: string): Promise<void> {
    const shared = this.#sharedOf(id)
    await super.notStored(id)
    await this.#move(id, shared, 'gone')
  }

  override async unknown(id: string): Promise<boolean> {
    const shared = this.#sharedOf(id)
    const isOpen = await super.unknown(id)
    await this.#move(id, shared, 'left')
    return isOpen
  }

  override async underway(): Promise<readonly Underway[]> {
    const here = await super.underway()
    const ids = new Set(here.map(({ id }) => id))
    const elsewhere = (await this.#ask('underway')).flatMap((text) => {
      const [sha256 = ''] = text.split(' ', 1)
      const item = readJson(anItem, text.slice(sha256.length + 1))
      if (item === undefined || ids.has(item.id)) return []
      const { mimeType } = toAttempt(item.attempt, item.size)
      return { ...item, sha256, mimeType, isLooking: item.state !== 'sending' }
    })
    return [...elsewhere.sort((one, other) => one.at - other.at), ...here]
  }

  override async owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#askMany(['read', 'slugs'], slugs)
    const owners = slugs.map((slug, index) => [slug, found[index] ?? ''] as const).filter(([, sha256]) => sha256 !== '')
    return new Map([...owners, ...(await super.owners(slugs))])
  }

  override async seen(seen: SeenUpload): Promise<void> {
    await super.seen(seen)
    const { content, path, mimeType = '', upload } = seen
    if (content.sha256 !== '') await this.#store('', { ...content, path, mimeType }, upload)
  }

  override async forget(slugs: readonly string[]): Promise<void> {
    await super.forget(slugs)
    await this.#askMany(['forget'], slugs)
  }

  override doubtedMs(): number | undefined {
    const wholeForMs = this.#epoch === '' ? 0 : this.#session.now() - this.#session.since
    return wholeForMs < DAY_MS ? wholeForMs : undefined
  }

  /** What this run has still open is left to the next one, here and there. */
  override async close(): Promise<void> {
    try {
      for (const id of this.own.keys()) await this.#move(id, this.#sharedOf(id), 'left')
    } catch (error) {
      // Its lease ends by itself.
      if (!(error instanceof StoreError)) throw error
    } finally {
      await super.close()
    }
  }

  async #claimAmongAll(id: string, file: ClaimedFile): Promise<ClaimStatus> {
    const { sha256, path, size } = file
    const [type, what = ''] = await this.#ask('claim', sha256, id, `-${nameOf(path)}`, String(size))
    switch (type) {
      case 'stored':
        return (await this.#takeKnown(file, what)) ? { type } : { type: 'mine', id }
      case 'open':
        return { type, item: await this.#takeOverOf(id, what, file) }
      case 'waits':
        return { type, holder: undefined }
      case 'settling':
        if (!this.#isSettlingTold) this.#options.onSettling(Number(what))
        this.#isSettlingTold = true
        return { type, ms: Number(what) }
      default:
        return { type: 'mine', id }
    }
  }

  /** Of another machine. @param json written by a runner of this key */
  async #takeOverOf(id: string, json: string, { path, sha256, size }: ClaimedFile): Promise<OpenItem> {
    // The clocks of two machines may differ by any time: nothing is known of it but that it was before now.
    const { monotonic: _, ...attempt } = toAttempt(readJson(anItem, json)?.attempt, size)
    const here = await this.foundOpen(id, attempt)
    return here ?? { id, path, size, sha256, attempt, endedAt: null }
  }

  /** Takes over what another runner has stored. @returns whether there is an upload */
  async #takeKnown(content: Content, value: string): Promise<boolean> {
    const [, storedAt = '', json = ''] = /^(\d+) \S+ (.*)$/s.exec(value) ?? []
    const shared = readJson(aShared, json)
    if (shared === undefined) return false
    const { name, mime_type: mimeType, upload } = shared
    const seenAt = this.#clock.now() - Math.max(this.#session.now() - Number(storedAt), 0)
    // What is known here may be being deleted, so it becomes no fresher.
    const isKnown = (await super.known(content)).some(({ slug }) => slug === upload.slug)
    const at = Date.parse(upload.created_at) || seenAt
    if (!isKnown) await super.seen({ content, path: `-${name}`, mimeType, upload, at, seenAt })
    return true
  }

  /** A file of this run that all know of. */
  #sharedOf(id: string): SharedFile | undefined {
    const own = this.own.get(id)
    return own && own.sha256 !== '' && !own.isForced ? own : undefined
  }

  /** @returns false where it is not this run's any more */
  async #move(id: string, shared: SharedFile | undefined, ...to: readonly string[]): Promise<boolean> {
    return shared === undefined || (await this.#ask('item', shared.sha256, id, ...to))[0] === 'mine'
  }

  /** @returns false where the list showed it, and it is known to be another file's */
  async #store(id: string, { sha256, path, mimeType }: SharedFile, upload: Upload, how = 'stored'): Promise<boolean> {
    const text = JSON.stringify({ name: nameOf(path), ...(mimeType && { mime_type: mimeType }), upload })
    const [answer] = await this.#ask('store', sha256, id, upload.slug, `${upload.slug} ${text}`, how)
    return answer !== 'other'
  }

  async #askMany([step, ...first]: [string, ...string[]], names: readonly string[]): Promise<readonly string[]> {
    const all: string[] = []
    for (let at = 0; at < names.length; at += PER_CALL)
      all.push(...(await this.#ask(step, ...first, ...names.slice(at, at + PER_CALL))))
    return all
  }

  async #ask(step: string, ...args: readonly string[]): Promise<readonly string[]> {
    if (this.#end) throw this.#end
    const once = () => this.#session.ask(step, ...args)
    try {
      const { epoch, found } = await this.#session.patiently(once, once, this.#options.patience)
      // The quota may have noticed first that something was lost.
      if (this.#epoch !== '' && this.#epoch !== epoch) throw lost()
      this.#epoch = epoch
      return found.map(String)
    } catch (error) {
      if (error instanceof StoreError) this.#end = error
      throw error
    }
  }
}

function toAttempt(text: string | undefined, size: number): Attempt {
  return { ...(readJson(anAttempt, text ?? '') ?? { mimeType: '', startedAt: 0 }), size }
}
