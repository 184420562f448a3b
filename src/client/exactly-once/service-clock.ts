import { type Clock, steadyMs } from '../../clock.ts'
import { agedOffset, bothOffsets, type ClockOffset, DRIFT, toldOffset } from '../../pacing/quota-model/clock-offset.ts'
import type { Upload } from '../../protocol/resources.ts'
import { creationSpan, HOUR_MS, type TimeSpan, type UncertainUpload, type UploadIntent } from './candidates.ts'

/** An instant of this process, with what was known about the service's clock at that time. */
export interface Moment {
  /** Milliseconds by the client's clock. */
  readonly at: number
  /** What counted then: a clock that is set begins another offset. */
  readonly offset: ClockOffset | undefined
  /** The latest time that the service's clock had reached for certain, in epoch milliseconds. */
  readonly passed: number
}

/** Several machines, with slightly different clocks, may write the Date header. */
const PASSED_SLACK_MS = 1_000
/** A week: the clock of this machine may have been set by this much between two runs. */
const UNSEEN_STEP_MS = 7 * 86_400_000
/** Two measurements of the same time may differ by this much. */
const SAME_MS = 1_000

/**
 * Learns from the Date headers of answers how far the service's clock is ahead of this client's; before the first, from the
 * list how far at least.
 */
export class ServiceClock {
  readonly #clock: Clock
  /** Whether the client's clock has a monotonic time, which no setting moves. */
  readonly #isSteady: boolean
  #offset: ClockOffset | undefined
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
    // An answer that contradicts the last shows that a clock was set.
    this.#offset = (this.#offset && bothOffsets(this.#offset, told)) ?? told
    this.#passed = Math.max(this.#passed, serverNow - PASSED_SLACK_MS)
  }

  /** Learns from the newest page of the list: the service's time is later than its uploads. */
  listed(uploads: readonly Upload[]): void {
    const latest = Math.max(...uploads.map((upload) => creationSpan(upload)?.from ?? Number.NEGATIVE_INFINITY))
    this.#listed = Math.max(this.#listed, latest - HOUR_MS - this.#clock.now())
  }

  moment(): Moment {
    return { at: this.#clock.now(), offset: this.#offset, passed: this.#passed }
  }

  /**
   * The service's time at a moment, even if a clock was set since. Without a steady clock it is only known to be later than
   * the service's last Date before the moment.
   */
  when({ at, offset, passed }: Moment): TimeSpan {
    const span = this.#spanOf(at, offset)
    if (this.#isSteady) return span
    const isKnown = passed > Number.NEGATIVE_INFINITY
    return { from: isKnown ? passed : span.from - UNSEEN_STEP_MS, to: Number.POSITIVE_INFINITY }
  }

  #spanOf(at: number, offset = this.#offset): TimeSpan {
    const now = this.#offset
    if (offset === undefined || now === undefined) return { from: at + this.#listed, to: Number.POSITIVE_INFINITY }
    const aged = [offset, now].map((one) => agedOffset(one, this.#clock.now()))
    return {
      from: at + Math.min(...aged.map(({ least }) => least)),
      to: at + Math.max(...aged.map(({ most }) => most)),
    }
  }

  /**
   * Reads the intent of another process. If that process did not know the service's time, its own counts: as it is where its
   * wall clock and its monotonic clock agree on how long ago that was, else the clock may have been set since.
   *
   * @param clock the client's, which may be set
   */
  place(intent: UploadIntent, clock: Clock): UncertainUpload {
    const { startedAt, endedAt, serviceStartedAt, monotonic } = intent
    const age = clock.now() - startedAt
    const steadyAge = monotonic === undefined ? undefined : steadyMs(clock) - monotonic
    const isSame = steadyAge !== undefined && Math.abs(age - steadyAge) <= SAME_MS + Math.abs(age) * DRIFT
    const moment = { at: this.#clock.now() - age, offset: undefined, passed: Number.NEGATIVE_INFINITY }
    const lasted = endedAt === null ? Number.POSITIVE_INFINITY : Math.max(endedAt - startedAt, 0)
    const unseen = isSame || serviceStartedAt ? 0 : UNSEEN_STEP_MS
    return {
      intent,
      made: () => {
        const { from, to } = serviceStartedAt ?? this.when(moment)
        return { from: from - unseen, to: this.#isSteady ? to + lasted + unseen : Number.POSITIVE_INFINITY }
      },
    }
  }
}
