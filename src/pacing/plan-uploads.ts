import { OutOfRangeError } from '../checks/coded-error.ts'
import { systemClock } from '../clock.ts'
import { endpoints } from '../protocol/endpoints.ts'
import type { QuotaLimits } from '../protocol/rate-limits.ts'
import { neverFitsText } from './pacer.ts'
import type { QuotaRow } from './shared/quota-row.ts'
import { readSharedState, type SharedLedgerOptions, stateOf } from './shared/shared-ledger.ts'
import { type Batch, simulateUploads, type UploadForecast } from './upload-forecast.ts'

export interface PlanOptions extends Batch {
  /** What is planned. Default: uploads. */
  readonly of?: 'upload' | 'delete'
  /** Epoch milliseconds at which the first upload may start. Default: now. */
  readonly now?: number
  /** Default of each: the spec's (spec 8). */
  readonly limits?: Partial<QuotaLimits>
  /** Units of the hour and of the day to leave to other users of the key. Default: 0. */
  readonly reserve?: number
  /** The shared ledger whose present use counts. Default: nothing is in use. */
  readonly ledger?: Pick<SharedLedgerOptions, 'folder' | 'baseUrl' | 'apiKey' | 'clock' | 'onProblem'>
  /** The rows of a quota that count instead. */
  readonly rows?: readonly QuotaRow[] | undefined
}

/**
 * When quotas and the link let each of `count` uploads, or deletions, start and end. Sends no request.
 *
 * @throws RangeError where the reserve leaves nothing of the hour or the day, or a limit is below the cost of one
 */
export function planUploads(count: number, options: PlanOptions = {}): UploadForecast {
  const { of = 'upload', limits = {}, reserve = 0, ledger, rows, ...batch } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const isOfMachine = rows === undefined && ledger !== undefined
  const { model, inFlight } = isOfMachine
    ? readSharedState({ ...ledger, limits, reserve })
    : stateOf(rows ?? [], { limits, reserve })
  const { cost } = endpoints[of]
  const reason = model.neverFits(cost)
  if (reason !== undefined && count > 0) throw new OutOfRangeError(neverFitsText(reason, names[of]))
  return simulateUploads({ ...batch, count, cost, now, model, inFlight: [...inFlight.values()] })
}

const names = { upload: 'an upload', delete: 'a deletion' } as const
