import { systemClock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import type { QuotaLimits } from '../../protocol/rate-limits.ts'
import { neverFitsText } from '../never-fits.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { withDefaults } from '../quota-model/quota-model-options.ts'
import { readSharedBook, type SharedLedgerOptions } from '../shared-ledger/shared-ledger.ts'
import { type PlanPart, simulateUploads } from './upload-simulation.ts'

export interface PlanOptions {
  /** Epoch milliseconds: when the first may start. Default: now. */
  readonly now?: number
  /** Those not named are the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
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
 * @throws RangeError where the reserve leaves nothing of the hour or the day, or a limit never allows an upload
 */
export function planUploads(count: number, options: PlanOptions = {}): readonly PlanPart[] {
  const { limits = {}, reserve = 0, ledger, jobs } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const book =
    ledger === undefined ? createQuotaModel({ limits, reserve }) : readSharedBook({ ...ledger, limits, reserve })
  const reason = book.neverFits(endpoints.upload.cost)
  if (reason !== undefined && count > 0) throw new RangeError(neverFitsText(reason, 'an upload'))
  return simulateUploads({ count, now, book, limits: withDefaults(limits), ...(jobs !== undefined && { jobs }) })
}
