import { COARSEST_SECOND_MS } from '../charges.ts'
import { DRIFT } from '../clock-offset.ts'

/** @param limit the present limit, in units */
export function createTokenBucketBound(limit: () => number, lengthMs: number) {
  const unitsPerMs = () => (limit() / lengthMs) * (1 - DRIFT)
  let missing = 0
  let asOf = Number.NEGATIVE_INFINITY

  return {
    /** Charges may come in any order; one dated later is regained later. */
    charge(at: number, units: number) {
      const sinceMs = Math.max(at - asOf, 0)
      missing = Math.max(missing - sinceMs * unitsPerMs(), 0) + units
      asOf = Math.max(asOf, at)
    },
    /** When at most `room` units are missing. */
    fitsAt(room: number) {
      if (missing <= room) return Number.NEGATIVE_INFINITY
      return Math.ceil(asOf + (missing - room) / unitsPerMs() + COARSEST_SECOND_MS)
    },
    /** This machine's clock was set back. */
    clampTo(now: number) {
      asOf = Math.min(asOf, now)
    },
  }
}

/** The most units that can be missing from a token bucket, which regains its limit evenly over the window's length. */
export type TokenBucketBound = ReturnType<typeof createTokenBucketBound>
