import { type Clock, steadyMs } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, DRIFT, toldOffset } from '../../pacing/quota-model/clock-offset.ts'
import type { Upload } from '../../protocol/resources.ts'
import type { UncertainUpload, UploadIntent } from './candidates.ts'
import { creationSpan, type TimeSpan } from './candidates.ts'

/** An instant of this process, with what was known about the service's clock at that time. */
export interface Moment {
  /** Milliseconds by the client's clock. */
  readonly at: number
  /** Which offset was valid then: a clock that is set begins another one. */
  readonly offset: number
  /** The latest time that the service's clock had reached for certain, in epoch milliseconds. */
  readonly passed: number
}

/** A service that stores local times shows some of them an hour off around a daylight saving change. */
const LOCAL_TIME_MS = 3_600_000
/** Several machines, with slightly different clocks, may write the Date header. */
const PASSED_SLACK_MS = 1_000
/** A week: a clock may have been set by this much without a trace. */
const UNSEEN_STEP_MS = 7 * 86_400_000
/** Two measurements of the same time may differ by this much. */
const SAME_MS = 1_000

/** Learns how far the service's clock is ahead of this client's. */
export class ServiceClock {
  /** Whether the client's clock has a monotonic time, which no setting moves. */
  readonly isSteady: boolean
  readonly #clock: Clock
  /** A further one where an answer contradicts the last, because a clock was set. */
  readonly #offsets: ClockOffset[] = []
  #passed = Number.NEGATIVE_INFINITY
  #hasDate = false

  /** @param clock a steady one, if the client's clock has a monotonic time */
  constructor(clock: Clock) {
    this.#clock = clock
    this.isSteady = clock.monotonic !== undefined
  }

  /** Learns from the Date header of an answer; call it when the headers are in, `durationMs` after the request was sent. */
  told(serverNow: number, durationMs: number): void {
    const answeredAt = this.#clock.now()
    // A Date is exact; what was concluded from `created_at` until now is not.
    if (!this.#hasDate) this.#offsets.pop()
    this.#hasDate = true
    this.#learn(toldOffset({ serverNow, sentAt: answeredAt - durationMs, answeredAt }))
    this.#pass(serverNow - PASSED_SLACK_MS)
  }

  /** Learns from the `created_at` of an upload that was sent at `sentAt` and answered now, if no answer had a Date. */
  stored(upload: Upload, sentAt: number): void {
    const span = creationSpan(upload)
    if (this.#hasDate || span === undefined) return
    const at = this.#clock.now()
    const told = { least: span.from - LOCAL_TIME_MS - at, most: span.to - sentAt, at }
    this.#pass(span.from - LOCAL_TIME_MS)
    // The service may answer with an older upload of the same content: then its clock is later by an unknown time.
    const isOld = told.most < (this.#offsets.at(-1)?.least ?? Number.NEGATIVE_INFINITY)
    this.#learn(this.isSteady && isOld ? { ...told, most: Number.POSITIVE_INFINITY } : told)
  }

  /** Learns from the list, if no answer had a Date: the service's time is later than these uploads. */
  listed(uploads: readonly Upload[]): void {
    const latest = Math.max(...uploads.map((upload) => creationSpan(upload)?.from ?? Number.NEGATIVE_INFINITY))
    if (this.#hasDate || latest === Number.NEGATIVE_INFINITY) return
    const at = this.#clock.now()
    this.#pass(latest - LOCAL_TIME_MS)
    this.#learn({ least: latest - LOCAL_TIME_MS - at, most: Number.POSITIVE_INFINITY, at })
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

  /**
   * The service's time now by what Dates or uploads have shown, as early as it may be but for a change of daylight saving:
   * a wait for an instant by it is not too short. Undefined before either has bounded it.
   */
  now(): number | undefined {
    const { from, to } = this.#whenTold(this.#clock.now())
    if (!Number.isFinite(to)) return undefined
    return this.#hasDate ? from : Math.min(from + LOCAL_TIME_MS, to)
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
    if (offsets.length === 0) return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
    const aged = offsets.map((offset) => agedOffset(offset, this.#clock.now()))
    return {
      from: at + Math.min(...aged.map(({ least }) => least)),
      to: at + Math.max(...aged.map(({ most }) => most)),
    }
  }

  #learn(told: ClockOffset): void {
    const last = this.#offsets.pop()
    const both = last && bothOffsets(last, told)
    this.#offsets.push(...(last && both === undefined ? [last, told] : [both ?? told]))
  }

  #pass(serviceNow: number): void {
    this.#passed = Math.max(this.#passed, serviceNow)
  }
}
