import type { WindowUse } from '../../../storage/window-use.ts'
import type { WindowKind, WindowMoment } from './window-kind.ts'

/**
 * Refills evenly over the window's length, up to the limit. The debt is counted in units times milliseconds, and each
 * millisecond repays `limit` of them, so there are no fractions.
 */
export const tokenBucket: WindowKind = {
  used: (use, moment) => Math.ceil(debt(use, moment) / moment.lengthMs),
  charged(use, units, moment) {
    // An unlimited bucket has no debt.
    const more = moment.limit === null ? 0 : units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: debt(use, moment) + more }
  },
  refunded(use, charge, moment) {
    // The charge has been repaid completely by then.
    if (moment.now >= charge.at + moment.lengthMs) return use
    const left = debt(use, moment) - charge.units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: Math.max(left, 0) }
  },
  availableAt(use, units, moment) {
    const excess = debt(use, moment) - units * moment.lengthMs
    if (excess <= 0) return moment.now
    // A bucket of size zero never refills; clients are told to retry after a window's length.
    return moment.now + (moment.limit ? Math.ceil(excess / moment.limit) : moment.lengthMs)
  },
}

function debt(use: WindowUse | undefined, { now, limit }: WindowMoment): number {
  if (use?.kind !== 'token_bucket' || limit === null) return 0
  return Math.max(use.debt - (now - use.at) * limit, 0)
}
