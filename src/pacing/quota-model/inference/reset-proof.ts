import { type ClockOffset, DATE_STEP_MS } from '../service-clock.ts'

/** What an answer said of its minute: so many units are in use, itself included, until it ends. */
export interface ResetSighting {
  readonly sentAt: number
  readonly answeredAt: number
  readonly units: number
  readonly used: number
  /** Epoch milliseconds by the service's clock. */
  readonly resetAt: number
}

/** When a minute ends, by this machine's clock: between these two. */
export interface MinuteEnd {
  readonly earliest: number
  readonly latest: number
}

/** Both the Date header and Reset know whole seconds, rounded either way. */
const ROUNDING_MS = 2 * DATE_STEP_MS

/**
 * Looks for evidence that a window is empty when its Reset says: that Reset keeps still while units are charged, and that
 * what was in use before it no longer counts after it, while it would count in a window that forgets each charge by itself.
 */
export function createResetProof(lengthMs: number) {
  /** The first and the last answer of the window that answers told of last. */
  let first: ResetSighting | undefined
  let last: ResetSighting | undefined
  let hasStoodStill = false
  let hasBeenKept = false

  function startAgain(): void {
    first = undefined
    last = undefined
    hasStoodStill = false
    hasBeenKept = false
  }

  /** An answer of the same window: its Reset is the same, but for rounding and the length of the requests. */
  function standsStill(before: ResetSighting, { sentAt, answeredAt, used, resetAt }: ResetSighting): boolean {
    const tolerance = ROUNDING_MS + before.answeredAt - before.sentAt + answeredAt - sentAt
    // A Reset that moves with every charge has moved by more than that meanwhile.
    if (used > before.used && sentAt - before.answeredAt > 2 * tolerance) hasStoodStill = true
    return Math.abs(resetAt - before.resetAt) <= tolerance
  }

  /** @param most the units that requests of ours can have used since the Reset, the answered one's included */
  function isKept(before: ResetSighting, { answeredAt, units, used }: ResetSighting, most: number): boolean {
    // Later, what was in use before would not count in any window; what does is that of others.
    if (answeredAt >= before.sentAt + lengthMs - DATE_STEP_MS) return true
    if (used <= most && most < before.used + units) hasBeenKept = true
    return used <= most
  }

  return {
    /** @param chargedAfter the units that requests of ours can have been charged after an instant, but for this one */
    see(sighting: ResetSighting, offset: ClockOffset, chargedAfter: (instant: number) => number): void {
      if (first === undefined || last === undefined) {
        first = last = sighting
        return
      }
      const { earliest, latest } = endOf(first, offset)
      const isSame = sighting.sentAt > last.answeredAt && sighting.answeredAt < earliest
      const isNext = sighting.sentAt > latest
      const isTrue =
        (!isSame || standsStill(first, sighting)) &&
        (!isNext || isKept(last, sighting, chargedAfter(earliest) + sighting.units))
      if (!isTrue) startAgain()
      if (isNext || !isTrue) first = sighting
      if (isNext || !isTrue || isSame) last = sighting
    },
    /** The end of the window that was told of last; undefined where Reset has not proved true. */
    end: (offset: ClockOffset | undefined) =>
      first && offset && hasStoodStill && hasBeenKept ? endOf(first, offset) : undefined,
    forget: startAgain,
  }
}

/** A Reset that is told as a duration counts from the answer's Date, which was written after the window was looked at. */
function endOf({ sentAt, answeredAt, resetAt }: ResetSighting, { least, most }: ClockOffset): MinuteEnd {
  return {
    earliest: resetAt - ROUNDING_MS - (answeredAt - sentAt) - most,
    latest: resetAt + DATE_STEP_MS - least,
  }
}
