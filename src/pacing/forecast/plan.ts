import { systemClock } from '../../clock.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import type { QuotaLimits } from '../../protocol/rate-limits.ts'
import { neverFitsText } from '../never-fits.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { withDefaults } from '../quota-model/quota-model-options.ts'
import { readSharedModel, type SharedLedgerOptions } from '../shared-ledger/shared-ledger.ts'
import { type PlanPart, simulateUploads } from './upload-simulation.ts'

export interface PlanOptions {
  /** Epoch milliseconds at which the first upload may start. Default: now. */
  readonly now?: number
  /** Default of each: the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
  /** Units of the hour and of the day to leave to other users of the key. Default: 0. */
  readonly reserve?: number
  /** The most uploads under way at a time. Default: 2. */
  readonly jobs?: number
  /** The shared ledger whose present use counts. Default: nothing is in use. */
  readonly ledger?: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey' | 'clock' | 'onProblem'>
}

/**
 * When quotas let each of `count` uploads start. Sends no request.
 *
 * @throws RangeError where the reserve leaves nothing of the hour or the day, or a limit is below the cost of an upload
 */
export function planUploads(count: number, options: PlanOptions = {}): readonly PlanPart[] {
  const { limits = {}, reserve = 0, ledger, jobs } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const model =
    ledger === undefined ? createQuotaModel({ limits, reserve }) : readSharedModel({ ...ledger, limits, reserve })
  const reason = model.neverFits(endpoints.upload.cost)
  if (reason !== undefined && count > 0) throw new RangeError(neverFitsText(reason, 'an upload'))
  return simulateUploads({ count, now, model, limits: withDefaults(limits), ...(jobs !== undefined && { jobs }) })
}
