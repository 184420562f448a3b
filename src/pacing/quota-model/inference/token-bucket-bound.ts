import { DRIFT } from '../service-clock.ts'
import { COARSEST_SECOND_MS } from '../sliding-log.ts'

/** What is missing, at the most, of a bucket that holds a limit and gets it back evenly over a length. */
export interface BucketDebt {
  /** In whatever order answers come: what is dated later comes back later. */
  charge(at: number, units: number): void
  /** When at most `room` units are missing. */
  fitsAt(room: number): number
  /** This machine's clock has been set back. */
  clampTo(now: number): void
}

/** @param limit in units, as it is known now */
export function createBucketDebt(limit: () => number, lengthMs: number): BucketDebt {
  const unitsPerMs = () => (limit() / lengthMs) * (1 - DRIFT)
  let debt = 0
  let asOf = Number.NEGATIVE_INFINITY

  return {
    charge(at, units) {
      const sinceMs = Math.max(at - asOf, 0)
      debt = Math.max(debt - sinceMs * unitsPerMs(), 0) + units
      asOf = Math.max(asOf, at)
    },
    fitsAt(room) {
      if (debt <= room) return Number.NEGATIVE_INFINITY
      return Math.ceil(asOf + (debt - room) / unitsPerMs() + COARSEST_SECOND_MS)
    },
    clampTo(now) {
      asOf = Math.min(asOf, now)
    },
  }
}
