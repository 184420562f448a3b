import { COARSEST_SECOND_MS } from '../charges.ts'
import { DRIFT } from '../clock-offset.ts'

/** The most units that can be missing from a token bucket, which regains its limit evenly over the window's length. */
export interface TokenBucketBound {
  /** Charges may come in any order; one dated later is regained later. */
  charge(at: number, units: number): void
  /** When at most `room` units are missing. */
  fitsAt(room: number): number
  /** This machine's clock was set back. */
  clampTo(now: number): void
}

/** @param limit the present limit, in units */
export function createTokenBucketBound(limit: () => number, lengthMs: number): TokenBucketBound {
  const unitsPerMs = () => (limit() / lengthMs) * (1 - DRIFT)
  let missing = 0
  let asOf = Number.NEGATIVE_INFINITY

  return {
    charge(at, units) {
      const sinceMs = Math.max(at - asOf, 0)
      missing = Math.max(missing - sinceMs * unitsPerMs(), 0) + units
      asOf = Math.max(asOf, at)
    },
    fitsAt(room) {
      if (missing <= room) return Number.NEGATIVE_INFINITY
      return Math.ceil(asOf + (missing - room) / unitsPerMs() + COARSEST_SECOND_MS)
    },
    clampTo(now) {
      asOf = Math.min(asOf, now)
    },
  }
}
