import { steadyMs } from '../clock.ts'
import type { FleetClaim } from '../contents/fleet/fleet-claims.ts'
import type { Standing } from '../contents/journal-items.ts'
import { UnknownOutcomeError, type Upload, type UploadIntent } from '../index.ts'
import { StoreError } from '../store/sqlite.ts'
import { nameOf } from '../store/upload-rows.ts'
import type { ClaimStatus, Content, OpenItem } from '../store/upload-store.ts'
import { anySignal } from '../system/signals.ts'
import type { AccountTools, Comparison, Present } from './known.ts'
import { ownPath } from './left-file.ts'
import { type Reconciler, stillUnknown } from './reconciler.ts'
import type { TellApart } from './tell-apart.ts'
import { type FileToSend, findPresentUpload, orUnconfirmed, readable, waitingFor } from './waiting.ts'

interface ClaimTools extends AccountTools {
  /** Undefined where the file is sent although the account may have it. */
  readonly comparison: Comparison | undefined
  readonly lookalikes: Pick<TellApart, 'compare'>
  readonly reconciler: Pick<Reconciler, 'settle'>
}

/** Another run may be sending this content. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'
}

/** Longer than most uploads take. */
const APART_MS = 5_000
const LOOK_LASTS_MS = 2_000
/** While another runner's claim is in the way. */
const IN_FLEET_MS = 500
/** How often a run that sends looks whether the store still has its claim. */
const HERE_MS = 1_000

/**
 * A content that this run means to send, from its claim to its outcome: claimed in the store among the runs of this machine
 * and, once it is this run's there, in the log of the fleet among all runners.
 */
export class Claim {
  readonly #path: string
  readonly #sending: FileToSend
  readonly #tools: ClaimTools
  readonly #losing = new AbortController()
  readonly #wait: ReturnType<typeof waitingFor>
  /** Uploads of earlier runs about which this one has asked. */
  readonly #settled = new Set<string>()
  /** Aborts when the upload has to end. */
  readonly signal: AbortSignal
  #content: Content
  /** A file on a site is sent as it comes, and one that cannot be read fails when it is sent. */
  #isForced: boolean
  #id = ''
  #mimeType: string | undefined
  #lookedHereAt = 0
  #isHashingEarly = false
  readonly #fleet: FleetPart = {
    claim: undefined,
    hash: '',
    isAlone: false,
    hasPaused: false,
    lookedAt: undefined,
  }

  constructor(path: string, content: Content, sending: FileToSend, tools: ClaimTools) {
    this.#path = path
    this.#content = content
    this.#sending = sending
    this.#tools = tools
    this.#isForced = tools.comparison === undefined || sending.path === undefined
    this.#wait = waitingFor(sending, tools.context, 'uploads')
    this.signal = anySignal([sending.grace.signal, this.#losing.signal])
  }

  /** Its name in the store, once it is claimed. */
  get id(): string {
    return this.#id
  }

  /**
   * Claims the content, and waits for runs that have claimed it first.
   * @returns their upload; undefined where this item is to be sent
   * @throws ClaimLostError where it has to be claimed again
   */
  async outcomeOfOthers(): Promise<Present | undefined> {
    for (let looks = 1; ; looks += 1) {
      const next = await this.#status()
      switch (next.type) {
        case 'mine':
        case 'first':
        case 'alone':
          if (await this.#isToBeSent(looks > 1)) return undefined
          break
        case 'needs-hash':
          await this.#hashFirst()
          break
        case 'stored': {
          const present = await findPresentUpload(this.#path, this.#content, this.#sending, this.#tools)
          if (present) return present
          break
        }
        case 'open':
          await this.#findOut(next)
          break
        case 'waits':
        case 'silent':
        case 'settling':
          await this.#rest(next)
          break
        case 'doubtful':
          throw notTaken()
        case 'lost':
          throw new ClaimLostError()
      }
    }
  }

  /**
   * Call before the first byte of each attempt leaves.
   * @throws ClaimLostError where nothing may be sent before the content is claimed again
   */
  async intend(intent: UploadIntent): Promise<void> {
    const { store, context } = this.#tools
    const { claim, isAlone, lookedAt } = this.#fleet
    this.#mimeType = intent.mimeType
    // The quota may have held the upload back since the list was read.
    const isLookOld = isAlone && lookedAt !== undefined && steadyMs(context.clock) - lookedAt > LOOK_LASTS_MS
    if (isLookOld) throw new ClaimLostError()
    if (claim && !(await claim.intend(intent, this.#sending.grace.signal))) throw new ClaimLostError()
    if (this.#id === '') await this.#status()
    const { knownSlugs: _, endedAt: __, ...attempt } = intent
    if (!(await store.intend(this.#id, attempt))) throw new ClaimLostError()
  }

  /** Call before bytes leave. Another run may have the content after a long sleep, or since the store was removed. */
  look(): void {
    if (this.#fleet.claim?.isDoubtful()) this.#losing.abort(new ClaimLostError())
    const now = steadyMs(this.#tools.context.clock)
    if (now - this.#lookedHereAt < HERE_MS) return
    this.#lookedHereAt = now
    // The next call that cannot be done without says what is wrong with the store.
    void this.#lookHere().catch(() => {})
  }

  /** Before the last byte leaves: the run that settles this upload after a kill may not have the file. */
  hashed(sha256: string): void {
    if (sha256 === this.#content.sha256) return
    this.#content = { ...this.#content, sha256 }
    // The heir can hash the file itself.
    void this.#tools.store.hashed(this.#id, sha256).catch(() => {})
  }

  async looking(): Promise<void> {
    await this.#tools.store.looking(this.#id)
  }

  async done(upload: Upload): Promise<void> {
    await this.#tools.store.stored(this.#id, upload).catch((error) => {
      // The service has it, and the link is known: the next run finds it in the list.
      if (!(error instanceof StoreError)) throw error
    })
    const { claim, hash } = this.#fleet
    const content = this.#content
    const isAsClaimed = claim !== undefined && content.sha256 === hash
    const stored = { content, name: nameOf(this.#path), mimeType: this.#mimeType, upload }
    if (content.sha256 !== '') this.#tools.shared?.confirm(stored, isAsClaimed ? this.#id : undefined)
    claim?.release(isAsClaimed ? 'stored' : 'not-stored')
  }

  /** The item is certainly not stored, or its outcome is unknown. */
  async end(outcome: 'not-stored' | 'unknown'): Promise<void> {
    const { store } = this.#tools
    const isOpen = outcome === 'unknown' && (await store.unknown(this.#id))
    if (outcome === 'not-stored') await store.notStored(this.#id)
    this.#fleet.claim?.release(isOpen ? 'unknown' : 'not-stored')
  }

  async #rest(
    next: Extract<ClaimStatus | Standing, { readonly type: 'waits' | 'silent' | 'settling' }>,
  ): Promise<void> {
    if (next.type !== 'waits') return await this.#tools.context.clock.sleep(next.waitMs, this.#sending.grace.signal)
    const holder = next.holder && 'isOwn' in next.holder ? next.holder : undefined
    await this.#wait(this.#fleet.claim ? IN_FLEET_MS : undefined, holder)
  }

  async #findOut(next: Extract<ClaimStatus | Standing, { readonly type: 'open' }>): Promise<void> {
    await ('item' in next ? this.#settle(next.item) : this.#inherit(next))
  }

  async #lookHere(): Promise<void> {
    const status = await this.#tools.store.claimed(this.#id)
    if (status === 'lost' && this.#tools.comparison !== undefined) this.#lose()
    if (status === 'awaited') await this.#hashEarly()
  }

  #lose(): void {
    // A file that was sent as a whole may be stored: its outcome counts.
    if (!this.#sending.grace.allSent()) this.#losing.abort(new ClaimLostError())
  }

  /** Another run may wait only to know whether its file of this size has the same content. */
  async #hashEarly(): Promise<void> {
    if (this.#isHashingEarly || this.#sending.path === undefined) return
    this.#isHashingEarly = true
    const sha256 = await readable(this.#sending.hash).catch(() => '')
    // All of it may have been sent meanwhile, and hashed.
    if (sha256 !== '' && this.#content.sha256 === '') this.hashed(sha256)
  }

  /** Something of the same size is known, or another run sends it. */
  async #hashFirst(): Promise<void> {
    const sha256 = this.#sending.path === undefined ? '' : await readable(this.#sending.hash)
    this.#content = { ...this.#content, sha256 }
    this.#isForced = sha256 === ''
  }

  /** How the content stands among the claims of this machine and, where it is this run's here, of all runners. */
  async #status(): Promise<ClaimStatus | Standing> {
    const { store, shared } = this.#tools
    const { sha256 } = this.#content
    if (this.#id === '') {
      const status = await store.claim({ path: this.#path, ...this.#content, isForced: this.#isForced })
      if (status.type !== 'mine') return status
      this.#id = status.id
    }
    if (sha256 === '' || shared === undefined) return { type: 'mine', id: this.#id }
    if (this.#fleet.claim === undefined) {
      this.#fleet.hash = sha256
      this.#fleet.claim = shared.fleet.claim(this.#id, nameOf(this.#path), this.#content)
      this.#fleet.claim.lost.addEventListener('abort', () => this.#lose())
    }
    const answer = await shared.standing(this.#fleet.claim, this.#content)
    if (answer.type !== 'first' && answer.type !== 'alone') return answer
    this.#fleet.isAlone ||= answer.type === 'alone'
    return (await orUnconfirmed(this.#isListed(shared))) ? { type: 'stored' } : answer
  }

  /** It is this run's now: what others may have stored is looked for before anything is sent. */
  async #isListed({ find, confirmKnown }: NonNullable<AccountTools['shared']>): Promise<boolean> {
    const { store, context } = this.#tools
    const file = { label: this.#sending.path ?? '', path: this.#path, content: this.#content }
    const isKnown = (await store.known(this.#content)).some(({ upload }) => upload !== undefined)
    const look = () => find(file, this.#fleet.isAlone, this.#tools, this.#sending.grace.signal)
    const isFound = isKnown || (this.#fleet.lookedAt === undefined && (await look()))
    this.#fleet.lookedAt ??= steadyMs(context.clock)
    if (isFound) await confirmKnown([this.#content])
    return isFound
  }

  /** @returns false where others are to be looked at again */
  async #isToBeSent(hasWaited: boolean): Promise<boolean> {
    const { sha256 } = this.#content
    // The file may have been changed meanwhile: then another content was claimed.
    if (hasWaited && sha256 !== '' && (await readable(this.#sending.hash)) !== sha256) throw new ClaimLostError()
    if (!this.#fleet.isAlone || this.#fleet.hasPaused) return true
    // Cut-off runners that go through one folder miss the same file: each looks again at a random time.
    this.#fleet.hasPaused = true
    this.#fleet.lookedAt = undefined
    await this.#tools.context.clock.sleep(Math.random() * APART_MS, this.#sending.grace.signal)
    return false
  }

  /** Finds out once what became of an upload: asking again tells nothing new. */
  async #settle(item: OpenItem): Promise<void> {
    const { store, reconciler } = this.#tools
    if (this.#settled.has(item.id)) {
      await store.unknown(item.id)
      throw stillUnknown()
    }
    this.#settled.add(item.id)
    await orUnconfirmed(reconciler.settle(item, item.sha256 === '' ? ownPath(item) : this.#sending.path))
  }

  /** The same for an upload of a runner that is gone. */
  async #inherit({ entry }: Extract<Standing, { readonly type: 'open' }>): Promise<void> {
    if (this.#settled.has(entry.intent.id)) throw stillUnknown()
    this.#settled.add(entry.intent.id)
    const settle = (item: OpenItem) => orUnconfirmed(this.#tools.reconciler.settle(item, this.#sending.path))
    await this.#tools.shared?.inherit(entry, this.#path, settle)
  }
}

/** The part of a claim that all runners of a key see. */
interface FleetPart {
  claim: FleetClaim | undefined
  /** Of the claim. */
  hash: string
  /** Whether this runner is cut off from the fleet, and has waited for others that are. */
  isAlone: boolean
  hasPaused: boolean
  /** When the list was read last, by the monotonic time. */
  lookedAt: number | undefined
}

function notTaken(): UnknownOutcomeError {
  return new UnknownOutcomeError(
    'Another run may have it: on a network disk nothing tells whether that run has ended',
    {
      hint: 'Keep the state on a disk of this machine: name a folder there in FH_STATE_DIR',
    },
  )
}
