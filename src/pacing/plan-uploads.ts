import { OutOfRangeError } from '../checks/coded-error.ts'
import { systemClock } from '../clock.ts'
import { endpoints } from '../protocol/endpoints.ts'
import type { QuotaLimits } from '../protocol/rate-limits.ts'
import { neverFitsText } from './pacer.ts'
import type { LedgerLine } from './quota-log/ledger-line.ts'
import { foldLedger, readSharedFold, type SharedLedgerOptions } from './quota-log/shared-ledger.ts'
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
  /** The lines of a ledger that count instead. */
  readonly lines?: readonly LedgerLine[] | undefined
}

/**
 * When quotas and the link let each of `count` uploads, or deletions, start and end. Sends no request.
 *
 * @throws RangeError where the reserve leaves nothing of the hour or the day, or a limit is below the cost of one
 */
export function planUploads(count: number, options: PlanOptions = {}): UploadForecast {
  const { of = 'upload', limits = {}, reserve = 0, ledger, lines, ...batch } = options
  const { now = (ledger?.clock ?? systemClock).now() } = options
  const isFromFile = lines === undefined && ledger !== undefined
  const fold = isFromFile
    ? readSharedFold({ ...ledger, limits, reserve })
    : foldLedger(lines ?? [], { limits, reserve })
  const { cost } = endpoints[of]
  const model = fold.model()
  const reason = model.neverFits(cost)
  if (reason !== undefined && count > 0) throw new OutOfRangeError(neverFitsText(reason, names[of]))
  const inFlight = [...fold.inFlight.values()]
  return simulateUploads({ ...batch, count, cost, now, model, inFlight })
}

const names = { upload: 'an upload', delete: 'a deletion' } as const
