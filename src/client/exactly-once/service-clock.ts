import { type Clock, steadyMs } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, DRIFT, toldOffset } from '../../pacing/quota-model/clock-offset.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, HOUR_MS, type TimeSpan, type UncertainUpload, type UploadIntent } from './candidates.ts'

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
  readonly #isSteady: boolean
  readonly #clock: Clock
  /** A further one where an answer contradicts the last, because a clock was set. */
  readonly #offsets: ClockOffset[] = []
  #passed = Number.NEGATIVE_INFINITY
  #listed = Number.NEGATIVE_INFINITY

  /** @param clock a steady one, if the client's clock has a monotonic time */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#isSteady = clock.monotonic !== undefined
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
    if (this.#isSteady) return span
    const from = passed > Number.NEGATIVE_INFINITY ? passed : span.from - UNSEEN_STEP_MS
    return { from, to: Number.POSITIVE_INFINITY }
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
    const steadyAge = monotonic === undefined || !this.#isSteady ? undefined : steadyMs(clock) - monotonic
    const isSame = steadyAge !== undefined && Math.abs(age - steadyAge) <= SAME_MS + Math.abs(age) * DRIFT
    const at = this.#clock.now() - (isSame ? steadyAge : age)
    const lasted = endedAt === null || endedAt < startedAt ? Number.POSITIVE_INFINITY : endedAt - startedAt
    const isDated = isSame || serviceStartedAt !== undefined
    return {
      intent,
      made: () => {
        const begun = serviceStartedAt ?? this.#spanOf(at, this.#offsets.slice(-1))
        const from = isDated ? begun.from : begun.from - UNSEEN_STEP_MS
        return { from, to: isDated && this.#isSteady ? begun.to + lasted : Number.POSITIVE_INFINITY }
      },
      wasSeenBefore: () => false,
    }
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
