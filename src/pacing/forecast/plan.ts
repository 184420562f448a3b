import { systemClock } from '../../clock.ts'
import { defaultLimits, type QuotaLimits } from '../../protocol/rate-limits.ts'
import { createBook } from '../book/book.ts'
import { readSharedBook, type SharedLedgerOptions } from '../shared/shared-ledger.ts'
import { type PlanPart, simulateUploads } from './upload-simulation.ts'

export interface PlanOptions {
  /** Epoch milliseconds: when the first may start. Default: now. */
  readonly now?: number
  /** Default: the spec's (spec 8). */
  readonly limits?: QuotaLimits
  /** Units of the hour and of the day that are left to others. Default: 0. */
  readonly reserve?: number
  /** How many may be under way at a time. Default: 2. */
  readonly jobs?: number
  /** Whose present use is reckoned with. Default: nothing is in use. */
  readonly ledger?: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey' | 'clock' | 'onProblem'>
}

/**
 * When each of `count` uploads may start, as far as quotas go; no request is sent.
 *
 * @throws RangeError where the reserve leaves nothing of the hour or the day
 */
export function planUploads(count: number, options: PlanOptions = {}): readonly PlanPart[] {
  const { limits = defaultLimits, reserve = 0, ledger, jobs } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const book = ledger === undefined ? createBook({ limits, reserve }) : readSharedBook({ ...ledger, limits, reserve })
  return simulateUploads({ count, now, book, limits, ...(jobs !== undefined && { jobs }) })
}
