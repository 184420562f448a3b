import {
  perWindow,
  type WindowKind,
  type WindowName,
  windowKinds,
  windowLengthMs,
} from '../../../protocol/rate-limits.ts'
import type { SeenMinute, SeenRequest } from '../../ledger.ts'
import { type ChargeView, logFitsAt, loggedUnits, marginMs } from '../charges.ts'
import { agedOffset, bothOffsets, type ClockOffset, type ToldTime, toldOffset } from '../clock-offset.ts'
import { type AssumedWindow, createKindElimination, type KindInference, kindInference } from './kind-inference.ts'
import type { MinuteUse } from './minimum-usage.ts'
import { createResetProof } from './reset-proof.ts'
import { createTokenBucketBound } from './window-bounds.ts'

/** An answer that shows the minute's use. */
export interface ShownMinute extends MinuteUse {
  /** End of the minute by the service's clock, in epoch milliseconds; undefined unless the answer has Limit and Date. */
  readonly resetAt: number | undefined
}

/**
 * The way into this folder; the quota model uses nothing else of it, so a reader may stop here. Spec 8 does not say which
 * of five kinds of window the service keeps. The model must therefore assume every kind that the answers have not ruled
 * out. If it ruled out none, it would be as safe but slower: 100 uploads would take a quarter longer, and 110 uploads
 * through token buckets up to 3.5 times as long. docs/pacing.md has the argument and the measurements.
 *
 * @param limitOf units of a window, as the service is assumed to have it; null where it has no limit
 */
export function createWindowInference(charges: ChargeView, limitOf: (name: WindowName) => number | null) {
  const kinds = createKindElimination(windowLengthMs.minute)
  const resetProof = createResetProof(windowLengthMs.minute)
  const buckets = perWindow((name) => createTokenBucketBound(() => limitOf(name) ?? 0, windowLengthMs[name]))
  let offset: ClockOffset | undefined

  const offsetAt = (now: number) => offset && agedOffset(offset, now)

  function assumed(name: WindowName, now: number): AssumedWindow {
    return { name, lengthMs: windowLengthMs[name], charges, missing: buckets[name], offset: offsetAt(now) }
  }

  /** A window that has refused may be of any kind. No header shows the burst: only a kind that outlasts a log is ruled out. */
  function possibleKinds(name: WindowName, isSuspect: boolean): readonly KindInference[] {
    const isPossible = (kind: WindowKind) =>
      isSuspect || kinds.mayBe(kind) || (name === 'burst' && kindInference[kind].usedAtMost === undefined)
    return windowKinds.filter(isPossible).map((kind) => kindInference[kind])
  }

  /**
   * When a window of every possible kind has room. A log holds at least as much as any kind that does not outlast it,
   * but for a token bucket that charged a refused request and so lacks more than its limit.
   */
  function allKindsFitAt(
    window: AssumedWindow,
    room: number,
    now: number,
    { possible, isSuspect }: { readonly possible: readonly KindInference[]; readonly isSuspect: boolean },
  ): number {
    const isLog = possible.some((kind) => kind.isLog(window))
    const from = isLog ? Math.max(now, logFitsAt(charges, window.lengthMs, room)) : now
    const asked = isLog && !isSuspect ? possible.filter(({ usedAtMost }) => usedAtMost !== undefined) : possible
    return asked.reduce((at, kind) => kind.fitsAt(window, room, at), from)
  }

  /**
   * When the minute has room because all of it ends at a proven Reset; infinite where none is proven. A charge at about
   * that time may count in the next minute.
   */
  function resetFitsAt(room: number, now: number, possible: readonly KindInference[]): number {
    if (!possible.every(({ endsAtReset }) => endsAtReset)) return Number.POSITIVE_INFINITY
    const end = resetProof.end(offsetAt(now))
    if (end === undefined || charges.after(end.earliest) > room) return Number.POSITIVE_INFINITY
    return Math.max(now, end.latest)
  }

  /** The most that kinds which outlast a log may hold at an instant; 0 without such a kind. */
  function outlastingUse(name: WindowName, at: number, possible: readonly KindInference[]): number {
    const window = assumed(name, at)
    return Math.max(0, ...possible.map(({ usedAtMost }) => usedAtMost?.(window, at) ?? 0))
  }

  function forgetAnswers(): void {
    kinds.forget()
    resetProof.forget()
    offset = undefined
  }

  return {
    /** When at most `room` units of past charges can still count in a window; `now` or later. */
    roomAt(name: WindowName, room: number, now: number, isSuspect: boolean) {
      const possible = possibleKinds(name, isSuspect)
      const at = allKindsFitAt(assumed(name, now), room, now, { possible, isSuspect })
      return name === 'minute' ? Math.min(at, resetFitsAt(room, now, possible)) : at
    },
    /** How long a charge counts at most: a kind that outlasts a log forgets it with the period after its own. */
    heldMs(name: WindowName, isSuspect: boolean) {
      const isLonger = possibleKinds(name, isSuspect).some(({ usedAtMost }) => usedAtMost !== undefined)
      return (isLonger ? 2 : 1) * windowLengthMs[name] + marginMs(windowLengthMs[name])
    },
    /** The most of the minute that our own charges can have filled at an instant. */
    minuteUseAtMost(at: number) {
      const logged = loggedUnits(charges, windowLengthMs.minute, at)
      return Math.max(logged, outlastingUse('minute', at, possibleKinds('minute', false)))
    },
    /** The most that our own charges can have filled of a window at an instant, if it is of the kind that remembers longest. */
    longestUseAtMost: (name: WindowName, at: number) => outlastingUse(name, at, Object.values(kindInference)),
    charge(at: number, units: number) {
      for (const bucket of Object.values(buckets)) bucket.charge(at, units)
    },
    /** Learns the service's clock from an answer's Date header. */
    seeDate(told: ToldTime) {
      const answer = toldOffset(told)
      const both = offset ? bothOffsets(offset, answer) : answer
      // The answer contradicts the earlier ones: a clock was set, and it alone counts.
      if (both === undefined) forgetAnswers()
      offset = both ?? answer
    },
    /** @param pendingUnits of our requests that are under way */
    seeMinute(use: ShownMinute, pendingUnits: number) {
      const { resetAt } = use
      kinds.see(use, offset)
      if (resetAt === undefined || offset === undefined) return
      resetProof.see({ ...use, resetAt }, offset, (instant) => charges.after(instant) + pendingUnits)
    },
    minute(now: number, underWay: readonly SeenRequest[]): SeenMinute {
      const { least, most } = offsetAt(now) ?? { least: 0, most: 0 }
      const bySending = (one: SeenRequest, other: SeenRequest) =>
        one.sentAt - other.sentAt || (one.used ?? Number.POSITIVE_INFINITY) - (other.used ?? 0)
      const requests = [...kinds.answers(), ...underWay].sort(bySending)
      return { mayBe: kinds.mayBe, requests, aheadMs: (least + most) / 2 }
    },
    /** A clock was set, so earlier answers prove nothing about later ones. */
    forgetAnswers,
    /** This machine's clock was set back to `now`. */
    clampTo(now: number) {
      forgetAnswers()
      for (const bucket of Object.values(buckets)) bucket.clampTo(now)
    },
  }
}

/** What the answers so far prove about the service's windows. Times are epoch milliseconds, amounts are units. */
export type WindowInference = ReturnType<typeof createWindowInference>
