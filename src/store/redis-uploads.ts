import { randomBytes } from 'node:crypto'
import { aNumber, anObjectHaving, aText, ifSound, type Kind, readJson } from '../checks/values.ts'
import { type Clock, startIdleTimer, steadyMs } from '../clock.ts'
import type { Upload } from '../protocol/resources.ts'
import script from './redis-uploads.lua?text'
import { StoreError } from './sqlite.ts'
import { keptUpload } from './upload-rows.ts'
import type { Attempt, Content } from './upload-store.ts'

/** The way to Redis: runs a script as one step. What it throws may pass where `isPassing` is set. */
export interface RedisWay {
  run(script: string, args: readonly string[]): Promise<unknown>
  close(): void
}

export interface RedisUploadsOptions {
  readonly way: RedisWay
  /** For messages, without a password. */
  readonly server: string
  readonly clock: Clock
  /** How long Redis may be silent, in milliseconds. */
  readonly maxWaitMs: number
  /** Ends the wait for it. */
  readonly stopping: AbortSignal
  /** Called once, before the first wait. */
  readonly onSilent: (mostMs: number) => void
}

/** An upload as Redis has it. */
export interface SharedUpload {
  readonly name: string
  readonly mimeType: string | undefined
  readonly upload: Upload
  /** How long ago the service showed it, in milliseconds. */
  readonly ageMs: number
}

/** A file that a run which is gone has begun to send. */
export interface SharedItem {
  readonly id: string
  readonly path: string
  readonly size: number
  readonly attempt: Attempt
}

export type SharedClaim =
  | { readonly type: 'mine' }
  /** `id` of its item. */
  | { readonly type: 'waits'; readonly run: string; readonly id: string }
  | { readonly type: 'stored'; readonly found: SharedUpload }
  | { readonly type: 'open'; readonly item: SharedItem }
  /** Redis has lost something, or is new: nothing is claimed for a lease. */
  | { readonly type: 'settling'; readonly ms: number }

/** As in redis-uploads.lua: so long a run lives that Redis does not hear of. */
const LEASE_MS = 30_000
const BEAT_MS = LEASE_MS / 3
const TRY_AGAIN_MS = 500
/** More go in several calls, so that none blocks Redis for long. */
const PER_CALL = 500
const DAY_MS = 86_400_000

const shared = anObjectHaving({ name: aText, mime_type: ifSound(aText), upload: keptUpload })
const anItem = anObjectHaving({ id: aText, path: aText, size: aNumber, attempt: ifSound(aText) })
const anAttempt = anObjectHaving({ mimeType: aText, startedAt: aNumber }) as unknown as Kind<Attempt>

/**
 * What all runners of a key share through Redis: one script, each call one step, which may be repeated.
 * @throws StoreError in each call: `unreachable` once Redis was silent for too long, `lost` where it has lost what this run knew
 */
export class RedisUploads {
  readonly #options: RedisUploadsOptions
  /** This run, among all runners. */
  readonly run = randomBytes(9).toString('base64url')
  #epoch = ''
  #lastWrite = ''
  #isNew = true
  #wholeForMs = 0
  #heardAt = 0
  #isSilenceTold = false
  /** Why this run asks no more. */
  #end: StoreError | undefined
  #stopTimer = () => {}

  constructor(options: RedisUploadsOptions) {
    this.#options = options
  }

  /** For how long Redis has known all, in milliseconds, if that is less than a day. */
  doubtedMs(): number | undefined {
    return this.#wholeForMs < DAY_MS ? this.#wholeForMs : undefined
  }

  /** Whether this process was silent for so long that others may have taken its claims over. */
  isDoubtful(): boolean {
    return steadyMs(this.#options.clock) - this.#heardAt > LEASE_MS - BEAT_MS / 2
  }

  async claim(id: string, { size, sha256 }: Content, path: string): Promise<SharedClaim> {
    const [type, what = '', more = ''] = await this.#ask('claim', sha256, id, path, String(size))
    switch (type) {
      case 'waits':
        return { type, run: what, id: more }
      case 'stored': {
        const found = this.#toUpload(what)
        return found ? { type, found } : { type: 'mine' }
      }
      case 'open':
        return { type, item: toItem(what) }
      case 'settling':
        return { type, ms: Number(what) }
      default:
        return { type: 'mine' }
    }
  }

  async intend(id: string, sha256: string, attempt: Attempt): Promise<boolean> {
    return (await this.#ask('intend', sha256, id, JSON.stringify(attempt)))[0] === 'mine'
  }

  async check(id: string, sha256: string): Promise<boolean> {
    return (await this.#ask('check', sha256, id))[0] === 'mine'
  }

  async looking(id: string, sha256: string): Promise<void> {
    await this.#ask('looking', sha256, id)
  }

  /** @returns false where the list showed it, and it is known to be another file's */
  async store(id: string, sha256: string, found: Omit<SharedUpload, 'ageMs'>, isFound: boolean): Promise<boolean> {
    const { name, mimeType, upload } = found
    const text = JSON.stringify({ name, ...(mimeType && { mime_type: mimeType }), upload })
    const how = isFound ? 'found' : 'stored'
    return (await this.#ask('store', sha256, id, upload.slug, `${upload.slug} ${text}`, how))[0] !== 'other'
  }

  async drop(id: string, sha256: string): Promise<void> {
    await this.#ask('drop', sha256, id)
  }

  async leave(id: string, sha256: string): Promise<void> {
    await this.#ask('leave', sha256, id)
  }

  async forget(slugs: readonly string[]): Promise<void> {
    if (slugs.length > 0) await this.#ask('forget', ...slugs)
  }

  /** What is stored of these contents, by hash. */
  async look(hashes: readonly string[]): Promise<ReadonlyMap<string, SharedUpload>> {
    const found = await this.#askMany('look', hashes)
    return new Map(
      hashes.flatMap((sha256, index) => {
        const upload = this.#toUpload(found[index] ?? '')
        return upload ? [[sha256, upload] as const] : []
      }),
    )
  }

  /** The hashes of these uploads, by slug. */
  async owners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#askMany('owners', slugs)
    return new Map(slugs.flatMap((slug, index) => (found[index] ? [[slug, found[index]] as const] : [])))
  }

  /** What live runs are sending: hashes and items, in the order in which it was begun. */
  async underway(): Promise<readonly (SharedItem & { readonly sha256: string; readonly isLooking: boolean })[]> {
    const found = await this.#ask('underway')
    return found.map((text) => {
      const at = text.indexOf(' ')
      const json = text.slice(at + 1)
      return { ...toItem(json), sha256: text.slice(0, at), isLooking: !json.includes('"state":"sending"') }
    })
  }

  /** This machine knows that another run has ended. */
  async giveUp(run: string): Promise<void> {
    await this.#ask('over', run)
  }

  /** This run is over, whether Redis hears of it or not. */
  async close(): Promise<void> {
    this.#stopTimer()
    if (!this.#isNew && this.#end === undefined) await this.#once('over', this.run).catch(() => {})
    this.#stopTimer()
    this.#options.way.close()
  }

  async #askMany(asked: string, names: readonly string[]): Promise<readonly string[]> {
    const all: string[] = []
    for (let at = 0; at < names.length; at += PER_CALL)
      all.push(...(await this.#ask(asked, ...names.slice(at, at + PER_CALL))))
    return all
  }

  async #ask(asked: string, ...args: readonly string[]): Promise<readonly string[]> {
    const { clock, maxWaitMs, stopping, onSilent } = this.#options
    const since = steadyMs(clock)
    for (;;) {
      if (this.#end) throw this.#end
      try {
        return await this.#once(asked, ...args)
      } catch (error) {
        this.#end = this.#endOf(error, steadyMs(clock) - since)
        if (this.#end) throw this.#end
      }
      if (!this.#isSilenceTold) onSilent(maxWaitMs)
      this.#isSilenceTold = true
      await clock.sleep(TRY_AGAIN_MS, stopping)
    }
  }

  /** Why this run is to ask no more; undefined where Redis may answer again. */
  #endOf(error: unknown, silentMs: number): StoreError | undefined {
    if (error instanceof StoreError) return error
    const isPassing = Reflect.get(Object(error), 'isPassing') === true
    if (isPassing && silentMs < this.#options.maxWaitMs) return undefined
    return new StoreError('unreachable', this.#options.server, error instanceof Error ? error.message : String(error))
  }

  async #once(asked: string, ...args: readonly string[]): Promise<readonly string[]> {
    const { way, clock, server } = this.#options
    const sentAt = steadyMs(clock)
    const own = [asked, this.run, this.#epoch, this.#lastWrite, randomBytes(9).toString('base64url')]
    const answer = await way.run(script, [...own, ...args])
    if (!Array.isArray(answer)) throw new StoreError('unreachable', server, 'it answers with something else than asked')
    const [state, epoch, write, now, since, found] = answer
    if (state === 'lost') throw new StoreError('lost', server)
    this.#epoch = String(epoch)
    // Answers may come in another order than they were given.
    if (isLater(String(write), this.#lastWrite)) this.#lastWrite = String(write)
    this.#wholeForMs = Number(now) - Number(since)
    this.#isNew = false
    this.#heardAt = Math.max(this.#heardAt, sentAt)
    this.#arm()
    return Array.isArray(found) ? found.map(String) : []
  }

  /** A run that says nothing for a lease counts as gone. */
  #arm(): void {
    this.#stopTimer()
    this.#stopTimer = startIdleTimer(
      this.#options.clock,
      BEAT_MS,
      () => void this.#once('beat').catch(() => this.#arm()),
    )
  }

  #toUpload(value: string): SharedUpload | undefined {
    const [, at, json = ''] = /^(\d+) \S+ (.*)$/s.exec(value) ?? []
    const read = readJson(shared, json)
    return read && { name: read.name, mimeType: read.mime_type, upload: read.upload, ageMs: this.#ageOf(Number(at)) }
  }

  #ageOf(at: number): number {
    return Math.max(Number(this.#lastWrite.split('-')[0]) - at, 0)
  }
}

/** @param json written by a runner of this key */
function toItem(json: string): SharedItem {
  const { id = '', path = '', size = 0, attempt = '' } = readJson(anItem, json) ?? {}
  const read = readJson(anAttempt, attempt) ?? { size, mimeType: '', startedAt: 0 }
  return { id, path, size, attempt: { ...read, size } }
}

function isLater(write: string, other: string): boolean {
  const [ms = 0, number = 0] = write.split('-').map(Number)
  const [otherMs = 0, otherNumber = 0] = other.split('-').map(Number)
  return ms > otherMs || (ms === otherMs && number > otherNumber)
}
