import { type WindowKind, type WindowName, windowLengthMs, windowNames } from '../../../protocol/rate-limits.ts'
import type { ChargeView } from '../charges.ts'
import { agedOffset, bothOffsets, type ClockOffset, narrowOffset, type ToldTime, toldOffset } from '../clock-offset.ts'
import { logFitsAt, loggedUnits } from '../sliding-log.ts'
import { alignedFitsAt, countedUnits, counterFitsAt } from './clock-windows.ts'
import type { MinuteUse } from './minimum-usage.ts'
import { createResetProof } from './reset-proof.ts'
import { createTokenBucketBound, type TokenBucketBound } from './token-bucket-bound.ts'
import { createKindElimination } from './window-kind-elimination.ts'

/** An answer that shows the minute's use. */
export interface ShownMinute extends MinuteUse {
  /** End of the minute by the service's clock, in epoch milliseconds; undefined unless the answer has Limit and Date. */
  readonly resetAt: number | undefined
}

/** What the answers so far prove about the service's windows. Times are epoch milliseconds, amounts are units. */
export interface WindowInference {
  /** When at most `room` units of past charges can still count in a window; `now` or later. */
  roomAt(name: WindowName, room: number, now: number, isSuspect: boolean): number
  /** The most of the minute that our own charges can have filled at an instant. */
  minuteUseAtMost(at: number): number
  /** The most that our own charges can have filled of a window at an instant, if it is a sliding counter. */
  counterUseAtMost(name: WindowName, at: number): number
  charge(at: number, units: number): void
  /** Learns the service's clock from an answer's Date header. */
  seeDate(told: ToldTime): void
  /** @param pendingUnits of our requests that are under way */
  seeMinute(minute: ShownMinute, pendingUnits: number): void
  /** A clock was set, so earlier answers prove nothing about later ones. */
  forgetAnswers(): void
  /** This machine's clock was set back to `now`. */
  clampTo(now: number): void
}

/**
 * The way into this folder; the quota model uses nothing else of it, so a reader may stop here. Spec 8 does not say which
 * of five kinds of window the service keeps. The model must therefore assume every kind that the answers have not ruled
 * out. If it ruled out none, it would be as safe but slower: 100 uploads would take a quarter longer, and 110 uploads
 * through token buckets up to 3.5 times as long. docs/pacing.md has the argument and the measurements.
 *
 * @param limitOf units of a window, as the service is assumed to have it; null where it has no limit
 */
export function createWindowInference(
  charges: ChargeView,
  limitOf: (name: WindowName) => number | null,
): WindowInference {
  const kinds = createKindElimination(windowLengthMs.minute)
  const resetProof = createResetProof(windowLengthMs.minute)
  const buckets = new Map<WindowName, TokenBucketBound>()
  for (const name of windowNames) {
    const bucket = createTokenBucketBound(() => limitOf(name) ?? 0, windowLengthMs[name])
    buckets.set(name, bucket)
  }
  let offset: ClockOffset | undefined

  const offsetAt = (now: number) => offset && agedOffset(offset, now)

  type MayBe = (kind: WindowKind) => boolean

  /** A window that has refused may be of any kind. No header shows the burst, so only the counter is ruled out for it. */
  function possibleKinds(name: WindowName, isSuspect: boolean): MayBe {
    return (kind) => isSuspect || kinds.mayBe(kind) || (name === 'burst' && kind !== 'sliding_counter')
  }

  function counterHasRoomAt(lengthMs: number, room: number, now: number, phase: ClockOffset | undefined): number {
    // Without the service's clock two whole periods may count.
    if (phase === undefined) return Math.max(now, logFitsAt(charges, 2 * lengthMs, room))
    return counterFitsAt({ charges, lengthMs, offset: phase }, room, now)
  }

  /** When a window of every possible kind has room. */
  function allKindsFitAt(name: WindowName, room: number, now: number, mayBe: MayBe): number {
    const lengthMs = windowLengthMs[name]
    const phase = usefulOffset(offsetAt(now), lengthMs)
    const mayFollowClock = mayBe('aligned') || mayBe('sliding_counter')
    // A log holds at least as much as any kind except a counter. Without the service's time zone a day's start is unknown.
    const isLog = mayBe('sliding') || mayBe('fixed') || (mayFollowClock && (name === 'day' || phase === undefined))
    let at = now
    if (isLog) at = Math.max(at, logFitsAt(charges, lengthMs, room))
    else if (mayBe('token_bucket')) at = Math.max(at, buckets.get(name)?.fitsAt(room) ?? at)
    if (mayBe('sliding_counter')) return counterHasRoomAt(lengthMs, room, at, phase)
    if (isLog || phase === undefined || !mayBe('aligned')) return at
    return alignedFitsAt({ charges, lengthMs, offset: phase }, room, at)
  }

  /**
   * When the minute has room because all of it ends at a proven Reset; infinite where none is proven. Kinds that forget
   * bit by bit end at no Reset. A charge at about that time may count in the next minute.
   */
  function resetFitsAt(room: number, now: number, mayBe: MayBe): number {
    if (mayBe('sliding') || mayBe('sliding_counter') || mayBe('token_bucket')) return Number.POSITIVE_INFINITY
    const end = resetProof.end(offsetAt(now))
    if (end === undefined || charges.after(end.earliest) > room) return Number.POSITIVE_INFINITY
    return Math.max(now, end.latest)
  }

  function counterUseAtMost(name: WindowName, at: number): number {
    const lengthMs = windowLengthMs[name]
    const known = offsetAt(at)
    return known ? countedUnits({ charges, lengthMs, offset: known }, at) : loggedUnits(charges, 2 * lengthMs, at)
  }

  function forgetAnswers(): void {
    kinds.forget()
    resetProof.forget()
    offset = undefined
  }

  return {
    roomAt(name, room, now, isSuspect) {
      const mayBe = possibleKinds(name, isSuspect)
      const at = allKindsFitAt(name, room, now, mayBe)
      return name === 'minute' ? Math.min(at, resetFitsAt(room, now, mayBe)) : at
    },
    minuteUseAtMost(at) {
      const logged = loggedUnits(charges, windowLengthMs.minute, at)
      return kinds.mayBe('sliding_counter') ? Math.max(logged, counterUseAtMost('minute', at)) : logged
    },
    counterUseAtMost,
    charge(at, units) {
      for (const bucket of buckets.values()) bucket.charge(at, units)
    },
    seeDate(told) {
      if (offset && bothOffsets(offset, toldOffset(told)) === undefined) {
        kinds.forget()
        resetProof.forget()
      }
      offset = narrowOffset(offset, told)
    },
    seeMinute({ resetAt, ...use }, pendingUnits) {
      kinds.see(use, offset)
      if (resetAt === undefined || offset === undefined) return
      resetProof.see({ ...use, resetAt }, offset, (instant) => charges.after(instant) + pendingUnits)
    },
    forgetAnswers,
    clampTo(now) {
      forgetAnswers()
      for (const bucket of buckets.values()) bucket.clampTo(now)
    },
  }
}

/** An offset learned while the clock was set may span more than a period: then the start of periods is unknown. */
function usefulOffset(offset: ClockOffset | undefined, lengthMs: number): ClockOffset | undefined {
  return offset && offset.most - offset.least < lengthMs ? offset : undefined
}
