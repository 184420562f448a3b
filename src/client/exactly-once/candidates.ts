import { type Clock, steadyMs } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, DRIFT, toldOffset } from '../../pacing/quota-model/clock-offset.ts'
import { acceptedMediaType, essence } from '../../protocol/media-types.ts'
import type { Upload } from '../../protocol/resources.ts'
import { orAborted } from '../../system/signals.ts'

/** A span in epoch milliseconds, both ends included. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/**
 * An upload that is about to be sent: all that is needed to find out later whether it was stored. Plain data that can be
 * saved as JSON before the first byte leaves, for another process to reconcile.
 */
export interface UploadIntent {
  /** In bytes; null for a stream of unknown size. */
  readonly size: number | null
  /** By the file's first bytes. */
  readonly mimeType: string
  /** Epoch milliseconds: before the first byte of the first attempt that may have been stored. */
  readonly startedAt: number
  /** Epoch milliseconds: when the last attempt had ended; null if unknown. */
  readonly endedAt: number | null
  /** The clock's monotonic time at `startedAt`, if it has one: shows later whether the clock was set since. */
  readonly monotonic?: number
  /** When it began by the service's clock, if its answers had told the time by then. */
  readonly serviceStartedAt?: TimeSpan
  /** Slugs of other files; more may be added after the intent was saved. */
  readonly knownSlugs: readonly string[]
}

/** What the list says about an {@link UploadIntent}. */
export type Reconciliation =
  | { readonly type: 'stored'; readonly upload: Upload }
  | { readonly type: 'not-stored' }
  /** It may be one of these, or none. Without candidates the list could not be read for it. */
  | { readonly type: 'ambiguous'; readonly candidates: readonly Upload[] }

/** An upload that may have been stored. */
export interface UncertainUpload {
  readonly intent: UploadIntent
  /** The service's time from its beginning to its end, by what is known of that clock now: each answer tells more. */
  made(): TimeSpan
  /** Whether the list showed a slug before this upload began. */
  wasSeenBefore(slug: string): boolean
  /** Milliseconds since its last attempt ended; 0 if unknown. */
  quietMs(): number
}

/** Whether the service changes files of a type before it stores them; undefined until it has shown that. */
export type Treatment = 'keeps' | 'changes' | undefined

/**
 * The entries of the list that may be an upload: of its size and type, made at its time, and not known to be another file.
 * Where none is, a service that may change files could have stored it with another size or type: then every entry of its
 * time. Only their bytes tell which it is.
 *
 * @param listed newest first
 * @returns oldest first: of several with its bytes an upload takes the first, which one that began later cannot have made
 */
export function findCandidates(
  { intent, wasSeenBefore, ...upload }: Omit<UncertainUpload, 'quietMs'>,
  listed: readonly Upload[],
  account: Pick<AccountUploads, 'isOurs' | 'treatmentOf'>,
): readonly Upload[] {
  const [made, treatment] = [upload.made(), account.treatmentOf(intent.mimeType)]
  const known = new Set(intent.knownSlugs)
  const isKnown = (slug: string) => account.isOurs(slug) || wasSeenBefore(slug)
  const unknown = listed.filter(({ slug }) => !known.has(slug) && !isKnown(slug)).toReversed()
  const timely = unknown.filter((upload) => isTimely(upload, made))
  const alike = timely.filter((upload) => looksLike(upload, intent))
  const hourOff = unknown.filter((upload) => looksLike(upload, intent) && !isTimely(upload, made))
  const likely = [...alike, ...hourOff.filter((upload) => isHourOff(upload, made))]
  // A type that is not accepted may be named differently by the service: text/plain, text/x-c.
  const changes = treatment === 'changes' || intent.size === null || acceptedMediaType(intent.mimeType) === undefined
  if (changes) return [...likely, ...timely.filter((upload) => !looksLike(upload, intent))]
  if (likely.length > 0 || treatment === 'keeps') return likely
  return timely
}

export function looksLike({ size, mime_type }: Upload, intent: UploadIntent): boolean {
  return size === intent.size && essence(mime_type) === essence(intent.mimeType)
}

/** A server may still store an upload after a proxy between has given up, but only for minutes. */
const LATEST_COMMIT_MS = 600_000

/** One whose time cannot be read may have been made at any. */
function isTimely(upload: Upload, { from, to }: TimeSpan): boolean {
  const span = creationSpan(upload)
  return span === undefined || overlap(span, { from, to: to + LATEST_COMMIT_MS })
}

/** A service that stores local times shows some of them an hour off around a daylight saving change. */
const HOUR_MS = 3_600_000
const HOUR_OFF_GRACE_MS = 60_000

function isHourOff(upload: Upload, { from, to }: TimeSpan): boolean {
  const span = creationSpan(upload)
  const sending = { from, to: (Number.isFinite(to) ? to : from) + HOUR_OFF_GRACE_MS }
  const byHours = (ms: number) => span && overlap({ from: span.from + ms, to: span.to + ms }, sending)
  return [-HOUR_MS, HOUR_MS].some(byHours)
}

function overlap(one: TimeSpan, other: TimeSpan): boolean {
  return one.from <= other.to && other.from <= one.to
}

/** Whether pages after the one that ends with this upload may hold uploads of these times; the list is newest first. */
export function mayGoBackTo(last: Upload, spans: readonly TimeSpan[]): boolean {
  const span = creationSpan(last)
  return span !== undefined && spans.some(({ from }) => span.to >= from)
}

const forms = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d+)?\s*(?:Z|([+-]\d\d)(?::?(\d\d))?)$/i

/**
 * Reads a `created_at` (spec 2.1): with `+02:00`, `+0200`, `+02` or `Z`, with or without a fraction.
 *
 * @returns epoch milliseconds; undefined for a text without an offset, which names no instant
 */
export function parseCreatedAt(text: string): number | undefined {
  const parts = forms.exec(text.trim())
  if (parts === null) return undefined
  const [, day, time, fraction = '', hours = '+00', minutes = '00'] = parts
  const at = Date.parse(`${day}T${time}${fraction.replace(',', '.')}${hours}:${minutes}`)
  return Number.isNaN(at) ? undefined : at
}

/** A database may round to the nearest second; most frameworks round down, also where they print fractions. */
const ROUNDED_UP_MS = 500
const ROUNDED_DOWN_MS = 1_000

/** When an upload can have been made, by the service's clock; undefined if its `created_at` cannot be read. */
export function creationSpan({ created_at }: Upload): TimeSpan | undefined {
  const createdAt = parseCreatedAt(created_at)
  if (createdAt === undefined) return undefined
  return { from: createdAt - ROUNDED_UP_MS, to: createdAt + ROUNDED_DOWN_MS }
}

/** An instant of this process, with what was known about the service's clock at that time. */
export interface Moment {
  /** Milliseconds by the client's clock. */
  readonly at: number
  /** Which offset was valid then: a clock that is set begins another one. */
  readonly offset: number
  /** The latest time that the service's clock had reached for certain, in epoch milliseconds. */
  readonly passed: number
}

/** Several machines, with slightly different clocks, may write the Date header. */
const PASSED_SLACK_MS = 1_000
/** A week: a clock may have been set by this much without a trace. */
const UNSEEN_STEP_MS = 7 * 86_400_000
/** Two measurements of the same time may differ by this much. */
const SAME_MS = 1_000

/**
 * Learns from the Date headers of answers how far the service's clock is ahead of this client's; before the first, from the
 * list how far at least.
 */
export class ServiceClock {
  /** Whether the client's clock has a monotonic time, which no setting moves. */
  readonly isSteady: boolean
  readonly #clock: Clock
  /** A further one where an answer contradicts the last, because a clock was set. */
  readonly #offsets: ClockOffset[] = []
  #passed = Number.NEGATIVE_INFINITY
  #listed = Number.NEGATIVE_INFINITY

  /** @param clock a steady one, if the client's clock has a monotonic time */
  constructor(clock: Clock) {
    this.#clock = clock
    this.isSteady = clock.monotonic !== undefined
  }

  /** Learns from the Date header of an answer; call it when the headers are in, `durationMs` after the request was sent. */
  told(serverNow: number, durationMs: number): void {
    const answeredAt = this.#clock.now()
    const told = toldOffset({ serverNow, sentAt: answeredAt - durationMs, answeredAt })
    const last = this.#offsets.pop()
    const both = last && bothOffsets(last, told)
    this.#offsets.push(...(last && both === undefined ? [last, told] : [both ?? told]))
    this.#passed = Math.max(this.#passed, serverNow - PASSED_SLACK_MS)
  }

  /** Learns from the newest page of the list: the service's time is later than its uploads. */
  listed(uploads: readonly Upload[]): void {
    const latest = Math.max(...uploads.map((upload) => creationSpan(upload)?.from ?? Number.NEGATIVE_INFINITY))
    this.#listed = Math.max(this.#listed, latest - HOUR_MS - this.#clock.now())
  }

  moment(): Moment {
    return { at: this.#clock.now(), offset: Math.max(this.#offsets.length - 1, 0), passed: this.#passed }
  }

  /**
   * The service's time at a moment, even if a clock was set since. Without a steady clock it is only known to be later than
   * the service's last Date before the moment.
   */
  when({ at, offset, passed }: Moment): TimeSpan {
    const span = this.#spanOf(at, this.#offsets.slice(Math.min(offset, this.#offsets.length - 1)))
    if (this.isSteady) return span
    const from = passed > Number.NEGATIVE_INFINITY ? passed : span.from - UNSEEN_STEP_MS
    return { from, to: Number.POSITIVE_INFINITY }
  }

  /** The service's time now, as early as it may be: a wait for an instant by it is not too short. Undefined before a Date. */
  now(): number | undefined {
    const { from, to } = this.#whenTold(this.#clock.now())
    return Number.isFinite(to) ? from : undefined
  }

  /**
   * Reads the intent of another process. Its times count if its wall clock and its monotonic clock agree on how long ago it
   * began, or if that process knew the service's time. Otherwise the clock may have been set since then.
   *
   * @param clock the client's, which may be set
   */
  place(intent: UploadIntent, clock: Clock): UncertainUpload {
    const { startedAt, endedAt, serviceStartedAt, monotonic } = intent
    const age = clock.now() - startedAt
    const steadyAge = monotonic === undefined || !this.isSteady ? undefined : steadyMs(clock) - monotonic
    const isSame = steadyAge !== undefined && Math.abs(age - steadyAge) <= SAME_MS + Math.abs(age) * DRIFT
    const at = this.#clock.now() - (isSame ? steadyAge : age)
    const lasted = endedAt === null || endedAt < startedAt ? Number.POSITIVE_INFINITY : endedAt - startedAt
    const isPlaced = this.isSteady && (isSame || serviceStartedAt !== undefined)
    return {
      intent,
      made: () => {
        const begun = serviceStartedAt ?? this.#whenTold(at)
        const from = isSame || serviceStartedAt !== undefined ? begun.from : begun.from - UNSEEN_STEP_MS
        return { from, to: isPlaced ? begun.to + lasted : Number.POSITIVE_INFINITY }
      },
      wasSeenBefore: () => false,
      quietMs: () => (isSame ? Math.max(this.#clock.now() - at - lasted, 0) : 0),
    }
  }

  #whenTold(at: number): TimeSpan {
    return this.#spanOf(at, this.#offsets.slice(-1))
  }

  #spanOf(at: number, offsets: readonly ClockOffset[]): TimeSpan {
    if (offsets.length === 0) return { from: at + this.#listed, to: Number.POSITIVE_INFINITY }
    const aged = offsets.map((offset) => agedOffset(offset, this.#clock.now()))
    return {
      from: at + Math.min(...aged.map(({ least }) => least)),
      to: at + Math.max(...aged.map(({ most }) => most)),
    }
  }
}

/** Times of different clocks cannot be compared. */
const accounts = new WeakMap<Clock, Map<string, WeakRef<AccountUploads>>>()

/** More than a service is sent while a clock of its own is behind: slugs that became known earlier need not be named. */
const WORTH_KNOWING = 100

/** An upload of this process that is under way. */
export class OpenUpload {
  readonly mimeType: string
  /** Whether the service may have stored it by now. */
  readonly mayBeStored: () => boolean
  #isResting = false
  #resting = Promise.withResolvers<void>()

  constructor(mimeType: string, mayBeStored: () => boolean) {
    this.mimeType = mimeType
    this.mayBeStored = mayBeStored
  }

  /** An attempt begins. */
  wake(): void {
    if (this.#isResting) this.#resting = Promise.withResolvers()
    this.#isResting = false
  }

  /** Nothing more is learnt from it for now. */
  rest(): void {
    this.#isResting = true
    this.#resting.resolve()
  }

  /** Resolves once it rests. */
  get resting(): Promise<void> {
    return this.#resting.promise
  }
}

/** What all clients of one account in this process share: what they send, and what they know of its uploads. */
export class AccountUploads {
  readonly #ours = new Set<string>()
  /** How many slugs had become known before each. */
  readonly #places = new Map<string, number>()
  readonly #open = new Set<OpenUpload>()
  readonly #treatments = new Map<string, Treatment>()

  /** @param clock of the client */
  static of(baseUrl: string, apiKey: string, clock: Clock): AccountUploads {
    const known = accounts.get(clock) ?? new Map<string, WeakRef<AccountUploads>>()
    accounts.set(clock, known)
    for (const [account, uploads] of known) if (uploads.deref() === undefined) known.delete(account)
    const account = `${apiKey} ${baseUrl}`
    const shared = known.get(account)?.deref() ?? new AccountUploads()
    known.set(account, new WeakRef(shared))
    return shared
  }

  open(mimeType: string, mayBeStored: () => boolean): OpenUpload {
    const upload = new OpenUpload(mimeType, mayBeStored)
    this.#open.add(upload)
    return upload
  }

  close(upload: OpenUpload): void {
    upload.rest()
    this.#open.delete(upload)
  }

  /**
   * Waits for other uploads of a type that may be stored by now, until they have ended or wait in turn: their answers tell
   * whose an entry of the list is, and whether the service keeps such files as they are.
   *
   * @param own the one that waits
   * @returns whether there were any. @throws `signal.reason` when aborted
   */
  async othersEnded(
    mimeTypes: readonly string[],
    own: OpenUpload | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const others = [...this.#open].filter((other) => {
      return other !== own && mimeTypes.includes(other.mimeType) && other.mayBeStored()
    })
    if (others.length === 0) return false
    own?.rest()
    await orAborted(Promise.all(others.map(({ resting }) => resting)), signal)
    return true
  }

  /** The service answered an upload of this client with this record. */
  answered(upload: Upload, { size, mimeType }: { readonly size: number; readonly mimeType: string }): void {
    this.#addOurs(upload.slug)
    const asSent = upload.size === size && essence(upload.mime_type) === essence(mimeType)
    // One changed file outweighs many kept ones: a service may leave small or plain files as they are.
    if (this.#treatments.get(mimeType) !== 'changes') this.#treatments.set(mimeType, asSent ? 'keeps' : 'changes')
  }

  /** The bytes proved of entries of the list that they are uploads of this client. */
  adopted(outcomes: readonly (Reconciliation | undefined)[]): void {
    for (const outcome of outcomes) {
      if (outcome?.type !== 'stored') continue
      this.#addOurs(outcome.upload.slug)
      const type = essence(outcome.upload.mime_type)
      if (this.#treatments.get(type) === undefined) this.#treatments.set(type, 'keeps')
    }
  }

  /** The list showed these. */
  saw(uploads: readonly Upload[]): void {
    for (const { slug } of uploads) this.#learn(slug)
  }

  /** Whether the service answered this client with it, or this client found it in the list. */
  isOurs(slug: string): boolean {
    return this.#ours.has(slug)
  }

  /** How many slugs have become known so far. */
  mark(): number {
    return this.#places.size
  }

  /** Whether a slug became known before a mark; does not depend on a clock. */
  wasSeenBefore(slug: string, mark: number): boolean {
    return (this.#places.get(slug) ?? Number.POSITIVE_INFINITY) < mark
  }

  /** Slugs that became known lately. */
  recent(): readonly string[] {
    return [...this.#places.keys()].slice(-WORTH_KNOWING)
  }

  treatmentOf(mimeType: string): Treatment {
    return this.#treatments.get(mimeType)
  }

  #addOurs(slug: string): void {
    this.#ours.add(slug)
    this.#learn(slug)
  }

  #learn(slug: string): void {
    if (!this.#places.has(slug)) this.#places.set(slug, this.#places.size)
  }
}
