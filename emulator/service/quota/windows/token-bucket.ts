import type { WindowUse } from '../../../storage/window-use.ts'
import type { Moment, WindowKind } from './window-kind.ts'

/**
 * The whole limit at once, coming back evenly over the window's length. What is missing is counted in units times
 * milliseconds, of which every millisecond brings back as many as the limit has units: no fraction ever gets lost.
 */
export const tokenBucket: WindowKind = {
  used: (use, moment) => Math.ceil(debt(use, moment) / moment.lengthMs),
  charged(use, units, moment) {
    // Nothing can be missing from a bucket without a bottom.
    const more = moment.limit === null ? 0 : units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: debt(use, moment) + more }
  },
  refunded(use, charge, moment) {
    // By then all of it has come back by itself.
    if (moment.now >= charge.at + moment.lengthMs) return use
    const left = debt(use, moment) - charge.units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: Math.max(left, 0) }
  },
  fallsTo(use, units, moment) {
    const excess = debt(use, moment) - units * moment.lengthMs
    if (excess <= 0) return moment.now
    // A bucket of size zero never fills; it is looked at again after a window's length.
    return moment.now + (moment.limit ? Math.ceil(excess / moment.limit) : moment.lengthMs)
  },
}

function debt(use: WindowUse | undefined, { now, limit }: Moment): number {
  if (use?.kind !== 'token_bucket' || limit === null) return 0
  return Math.max(use.debt - (now - use.at) * limit, 0)
}
