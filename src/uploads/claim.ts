import { FileHostError, UnknownOutcomeError } from '../client/errors.ts'
import { steadyMs } from '../clock.ts'
import type { Upload, UploadIntent } from '../index.ts'
import { StoreError } from '../store/store-error.ts'
import type { ClaimStatus, Content, Holder, OpenItem } from '../store/upload-store.ts'
import { anySignal, isAbort } from '../system/signals.ts'
import { type Comparison, findPresent, type Present } from './known.ts'
import type { ListSearch } from './list-search.ts'
import { ownPath, type Reconciler, stillUnknown, unconfirmed } from './reconciler.ts'
import type { UploadRun } from './upload-run.ts'

interface ClaimTools extends UploadRun {
  /** Undefined where the file is sent although the account may have it. */
  readonly comparison: Comparison | undefined
  readonly listSearch: Pick<ListSearch, 'find'>
  readonly reconciler: Pick<Reconciler, 'settle'>
}

/** Another run may be sending this content. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError'
}

/** While another machine's claim is in the way, or nothing can be claimed yet. */
const ELSEWHERE_MS = 500
/** How often a run that sends looks whether the store still has its claim. */
const HERE_MS = 1_000

/** A content that this run means to send, from its claim to its outcome. */
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
  #lookedHereAt = 0
  #isHashingEarly = false

  constructor(path: string, content: Content, sending: FileToSend, tools: ClaimTools) {
    this.#path = path
    this.#content = content
    this.#sending = sending
    this.#tools = tools
    this.#isForced = tools.comparison === undefined || sending.path === undefined
    this.#wait = waitingFor(sending, tools.context)
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
          await this.#settle(next.item)
          break
        case 'waits':
          // Other machines have no process to name.
          await this.#wait(next.holder ? undefined : ELSEWHERE_MS, next.holder)
          break
        case 'settling':
          await this.#tools.context.clock.sleep(Math.min(next.ms, ELSEWHERE_MS), this.#sending.grace.signal)
          break
        case 'doubtful':
          throw new UnknownOutcomeError(
            'Another run may have it: on a network disk nothing tells whether that run has ended',
            { hint: 'Keep the state on a disk of this machine: name a folder there in FH_STATE_DIR' },
          )
      }
    }
  }

  /**
   * Call before the first byte of each attempt leaves.
   * @throws ClaimLostError where nothing may be sent before the content is claimed again
   */
  async intend(intent: UploadIntent): Promise<void> {
    if (this.#id === '') await this.#status()
    const { knownSlugs: _, endedAt: __, ...attempt } = intent
    if (!(await this.#tools.store.intend(this.#id, attempt))) throw new ClaimLostError()
  }

  /** Call before bytes leave. Another run may have the content after a long sleep, or since the store was removed. */
  look(): void {
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
      if (!(error instanceof StoreError) && !isAbort(error)) throw error
    })
  }

  /** The item is certainly not stored, or its outcome is unknown. */
  async end(outcome: 'not-stored' | 'unknown'): Promise<void> {
    const { store } = this.#tools
    if (outcome === 'unknown') await store.unknown(this.#id)
    else await store.notStored(this.#id)
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

  async #status(): Promise<ClaimStatus> {
    if (this.#id !== '') return { type: 'mine', id: this.#id }
    const file = { path: this.#path, ...this.#content, isForced: this.#isForced }
    const status = await this.#tools.store.claim(file)
    if (status.type === 'mine') this.#id = status.id
    return status
  }

  /** @returns false where others are to be looked at again */
  async #isToBeSent(hasWaited: boolean): Promise<boolean> {
    const { store, listSearch } = this.#tools
    const { sha256 } = this.#content
    // The file may have been changed meanwhile: then another content was claimed.
    if (hasWaited && sha256 !== '' && (await readable(this.#sending.hash)) !== sha256) throw new ClaimLostError()
    const file = { label: this.#sending.path ?? '', path: this.#path, content: this.#content }
    if (sha256 === '' || !(await orUnconfirmed(listSearch.find(file, this.#sending.grace.signal)))) return true
    await store.notStored(this.#id)
    this.#id = ''
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
}

/** A file that is to be sent. */
export interface FileToSend {
  /** As messages name it. */
  readonly label: string
  /** Undefined for what is not on the disk. */
  readonly path: string | undefined
  /** Of the file as it is now; empty for one on a site, which is sent as it comes. */
  readonly hash: () => Promise<string>
  readonly grace: {
    /** Aborts when the upload has to end. */
    readonly signal: AbortSignal
    /** Whether the whole file has been sent, so that the service may have stored it. */
    allSent(): boolean
  }
}

/** A file that cannot be read is reported when it is sent. */
export async function readable(hash: () => Promise<string>): Promise<string> {
  return await hash().catch((error) => {
    if (isAbort(error)) throw error
    return ''
  })
}

/** @throws UnknownOutcomeError if the service cannot be asked */
export async function findPresentUpload(
  path: string,
  content: Content,
  sending: Pick<FileToSend, 'label' | 'grace'>,
  tools: UploadRun & { readonly comparison: Comparison | undefined },
): Promise<Present | undefined> {
  if (tools.comparison === undefined || content.sha256 === '') return undefined
  return await orUnconfirmed(findPresent({ label: sending.label, path, content }, tools, sending.grace.signal))
}

/** The service may be unable to tell what it has. */
export async function orUnconfirmed<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    // Where the quota could not be asked for, nothing was sent to the service, and nothing will be.
    const isAsked = error instanceof FileHostError && !(error.cause instanceof StoreError)
    throw isAsked && !(error instanceof UnknownOutcomeError) ? unconfirmed(error) : error
  }
}

/** How long to wait before looking again whether another run has stored the same content. */
const LOOK_AGAIN_MS = 100
const WORTH_SAYING_MS = 1_000

/** Waits a moment for another run, and says so once it has taken long. */
function waitingFor(
  { label, grace }: Pick<FileToSend, 'label' | 'grace'>,
  { clock, note }: UploadRun['context'],
): (ms?: number, holder?: Holder) => Promise<void> {
  let waitedMs = 0
  let isSaid = false
  return async (ms = LOOK_AGAIN_MS, holder) => {
    if (waitedMs >= WORTH_SAYING_MS && !isSaid) {
      note({ type: 'waits', path: label, holder })
      isSaid = true
    }
    waitedMs += ms
    await clock.sleep(ms, grace.signal)
  }
}
