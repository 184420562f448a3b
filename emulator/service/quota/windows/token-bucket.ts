import type { WindowUse } from '../../../storage/record-types.ts'
import { objectOf } from '../../../values/codec.ts'
import { instant, numberWithin, oneOf } from '../../../values/value-type.ts'
import type { WindowMoment, WindowRules } from './window-rules.ts'

interface BucketUse extends WindowUse {
  readonly kind: 'token_bucket'
  readonly at: number
  /** Units that are missing, times the window's milliseconds; fractional if the clock is. */
  readonly debt: number
}

/** Refills evenly over the window's length, up to the limit: each millisecond repays `limit` of the debt. */
export const tokenBucket: WindowRules<BucketUse> = {
  meaning: 'the limit is available at once and refills evenly',
  codec: objectOf({
    kind: oneOf('token_bucket'),
    at: instant,
    debt: numberWithin('a number from zero up', { from: 0 }),
  }),
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
  clamped: (use, { now }) => (use.at > now ? { ...use, at: now } : use),
}

function debt(use: BucketUse | undefined, { now, limit }: WindowMoment): number {
  return use === undefined || limit === null ? 0 : Math.max(use.debt - (now - use.at) * limit, 0)
}
