import { type ClockOffset, DATE_STEP_MS } from '../clock-offset.ts'
import type { MinuteUse } from './minimum-usage.ts'

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
    first = undefined
    last = undefined
    hasStoodStill = false
    hasBeenKept = false
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
