import {
  perWindow,
  type WindowKind,
  type WindowName,
  windowKinds,
  windowLengthMs,
} from '../../../protocol/rate-limits.ts'
import { type ChargeView, loggedUnits, marginMs } from '../charges.ts'
import { agedOffset, bothOffsets, type ClockOffset, DATE_STEP_MS, type ToldTime, toldOffset } from '../clock-offset.ts'
import {
  type AssumedWindow,
  countedUnits,
  createKindElimination,
  createTokenBucketBound,
  endingAtReset,
  kindInference,
  outlasting,
  type TokenBucketBound,
} from './kind-inference.ts'
import type { MinuteUse } from './minimum-usage.ts'

/** An answer that shows the minute's use. */
export interface ShownMinute extends MinuteUse {
  /** End of the minute by the service's clock, in epoch milliseconds; undefined unless the answer has Limit and Date. */
  readonly resetAt: number | undefined
}

/**
 * The way into this folder; the quota model uses nothing else of it, so a reader may stop here. Spec 8 does not say which
 * of five kinds of window the service keeps. The model must therefore assume every kind that the answers have not ruled
 * out. If it ruled out none, it would be as safe but slower: 100 uploads would take a quarter longer, and 110 uploads
 * through token buckets up to 3.5 times as long. docs/pacing.md has the argument and the measurements. Times are epoch
 * milliseconds, amounts are units.
 */
export class WindowInference {
  readonly #charges: ChargeView
  readonly #kinds = createKindElimination(windowLengthMs.minute)
  readonly #resetProof = createResetProof(windowLengthMs.minute)
  readonly #buckets: Readonly<Record<WindowName, TokenBucketBound>>
  #offset: ClockOffset | undefined

  /** @param limitOf units of a window, as the service is assumed to have it; null where it has no limit */
  constructor(charges: ChargeView, limitOf: (name: WindowName) => number | null) {
    this.#charges = charges
    this.#buckets = perWindow((name) => createTokenBucketBound(() => limitOf(name) ?? 0, windowLengthMs[name]))
  }

  /** When at most `room` units of past charges can still count in a window; `now` or later. */
  roomAt(name: WindowName, room: number, now: number, isSuspect: boolean): number {
    const possible = this.#possibleKinds(name, isSuspect)
    const window = this.#assumed(name, now)
    const at = possible.reduce((latest, kind) => kindInference[kind].fitsAt(window, room, latest), now)
    return name === 'minute' ? Math.min(at, this.#resetFitsAt(room, now, possible)) : at
  }

  /** How long a charge counts at most: a kind that outlasts a log forgets it with the period after its own. */
  heldMs(name: WindowName, isSuspect: boolean): number {
    const isLonger = this.#possibleKinds(name, isSuspect).includes(outlasting)
    return (isLonger ? 2 : 1) * windowLengthMs[name] + marginMs(windowLengthMs[name])
  }

  /** The most of the minute that our own charges can have filled at an instant. */
  minuteUseAtMost(at: number): number {
    const logged = loggedUnits(this.#charges, windowLengthMs.minute, at)
    return this.#kinds.mayBe(outlasting) ? Math.max(logged, this.longestUseAtMost('minute', at)) : logged
  }

  /** The most that our own charges can have filled of a window at an instant, if it is of the kind that remembers longest. */
  longestUseAtMost(name: WindowName, at: number): number {
    return countedUnits(this.#assumed(name, at), at)
  }

  charge(at: number, units: number): void {
    for (const bucket of Object.values(this.#buckets)) bucket.charge(at, units)
  }

  /** Learns the service's clock from an answer's Date header. */
  seeDate(told: ToldTime): void {
    const answer = toldOffset(told)
    const both = this.#offset ? bothOffsets(this.#offset, answer) : answer
    // The answer contradicts the earlier ones: a clock was set, and it alone counts.
    if (both === undefined) this.forgetAnswers()
    this.#offset = both ?? answer
  }

  /** @param pendingUnits of our requests that are under way */
  seeMinute(use: ShownMinute, pendingUnits: number): void {
    const { resetAt } = use
    const offset = this.#offset
    this.#kinds.see(use, offset)
    if (resetAt === undefined || offset === undefined) return
    this.#resetProof.see({ ...use, resetAt }, offset, (instant) => this.#charges.after(instant) + pendingUnits)
  }

  /** A clock was set, so earlier answers prove nothing about later ones. */
  forgetAnswers(): void {
    this.#kinds.forget()
    this.#resetProof.forget()
    this.#offset = undefined
  }

  /** This machine's clock was set back to `now`. */
  clampTo(now: number): void {
    this.forgetAnswers()
    for (const bucket of Object.values(this.#buckets)) bucket.clampTo(now)
  }

  #offsetAt(now: number): ClockOffset | undefined {
    return this.#offset && agedOffset(this.#offset, now)
  }

  #assumed(name: WindowName, now: number): AssumedWindow {
    const offset = this.#offsetAt(now)
    return { name, lengthMs: windowLengthMs[name], charges: this.#charges, missing: this.#buckets[name], offset }
  }

  /** A window that has refused may be of any kind. No header shows the burst: only a kind that outlasts a log is ruled out. */
  #possibleKinds(name: WindowName, isSuspect: boolean): readonly WindowKind[] {
    return windowKinds.filter(
      (kind) => isSuspect || this.#kinds.mayBe(kind) || (name === 'burst' && kind !== outlasting),
    )
  }

  /**
   * When the minute has room because all of it ends at a proven Reset; infinite where none is proven. A charge at about
   * that time may count in the next minute.
   */
  #resetFitsAt(room: number, now: number, possible: readonly WindowKind[]): number {
    if (!possible.every((kind) => endingAtReset.includes(kind))) return Number.POSITIVE_INFINITY
    const end = this.#resetProof.end(this.#offsetAt(now))
    if (end === undefined || this.#charges.after(end.earliest) > room) return Number.POSITIVE_INFINITY
    return Math.max(now, end.latest)
  }
}

/** The minute by an answer, until it ends at `resetAt`: epoch milliseconds by the service's clock. */
export interface MinuteReset extends Omit<MinuteUse, 'limit'> {
  readonly resetAt: number
}

/** Date and Reset have whole seconds, rounded either way. */
const ROUNDING_MS = 2 * DATE_STEP_MS

/**
 * Looks for proof that a window is empty at its Reset. Reset must stand still while units are charged, and units used
 * before it must not count after it, though they would in a window that forgets each charge separately.
 */
export function createResetProof(lengthMs: number) {
  /** The first and the last answer of the latest window. */
  let first: MinuteReset | undefined
  let last: MinuteReset | undefined
  let hasStoodStill = false
  let hasBeenKept = false

  function startAgain(): void {
    first = last = undefined
    hasStoodStill = hasBeenKept = false
  }

  /** Within one window Reset stays the same, except for rounding and the length of the requests. */
  function standsStill(before: MinuteReset, { sentAt, answeredAt, used, resetAt }: MinuteReset): boolean {
    const tolerance = ROUNDING_MS + before.answeredAt - before.sentAt + answeredAt - sentAt
    // A Reset that moves with each charge would have moved by more than the tolerance.
    if (used > before.used && sentAt - before.answeredAt > 2 * tolerance) hasStoodStill = true
    return Math.abs(resetAt - before.resetAt) <= tolerance
  }

  /** @param most the most units that our requests can have used since the Reset, the answered one's included */
  function isKept(before: MinuteReset, { answeredAt, units, used }: MinuteReset, most: number): boolean {
    // Later than this, earlier units count in no kind of window: the rest is use by others.
    if (answeredAt >= before.sentAt + lengthMs - DATE_STEP_MS) return true
    if (used <= most && most < before.used + units) hasBeenKept = true
    return used <= most
  }

  return {
    /** @param chargedAfter the most units that our other requests can have been charged after an instant */
    see(minute: MinuteReset, offset: ClockOffset, chargedAfter: (instant: number) => number): void {
      if (first === undefined || last === undefined) {
        first = last = minute
        return
      }
      const { earliest, latest } = endOf(first, offset)
      const isSame = minute.sentAt > last.answeredAt && minute.answeredAt < earliest
      const isNext = minute.sentAt > latest
      const isTrue =
        (!isSame || standsStill(first, minute)) &&
        (!isNext || isKept(last, minute, chargedAfter(earliest) + minute.units))
      if (!isTrue) startAgain()
      if (isNext || !isTrue) first = minute
      if (isNext || !isTrue || isSame) last = minute
    },
    /** The end of the latest window; undefined where Reset is not proven. */
    end: (offset: ClockOffset | undefined) =>
      first && offset && hasStoodStill && hasBeenKept ? endOf(first, offset) : undefined,
    forget: startAgain,
  }
}

/** A minute ends between these two instants of this machine's clock. */
function endOf({ sentAt, answeredAt, resetAt }: MinuteReset, { least, most }: ClockOffset) {
  return {
    // A Reset given as a duration counts from the answer's Date, which is written after the service looked at the window.
    earliest: resetAt - ROUNDING_MS - (answeredAt - sentAt) - most,
    latest: resetAt + DATE_STEP_MS - least,
  }
}
