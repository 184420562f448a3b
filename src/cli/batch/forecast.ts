import type { Clock } from '../../index.ts'
import type { FleetReading } from '../../pacing/fleet/open-fleet.ts'
import { type ForecastOptions, forecastUploads, isPaced, type UploadForecast } from '../../pacing/forecast.ts'
import type { QuotaRow } from '../../pacing/shared/quota-row.ts'
import { type LedgerProblem, readSharedRows } from '../../pacing/shared/shared-ledger.ts'
import { unlimited } from '../../protocol/rate-limits.ts'
import { stateFolder } from '../../system/environment.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { Credentials } from '../config/credentials.ts'
import { limitsOf } from '../config/settings.ts'
import type { Context } from '../context/context.ts'
import { notes } from '../output/notes.ts'
import type { Forecast } from '../output/progress/transfers.ts'

/** How a run goes on, as far as it is known. */
export type Pace = Pick<ForecastOptions, 'underWay' | 'bytesPerSecond' | 'leastMs'>

interface PlannedBatch extends Pace, Pick<ForecastOptions, 'jobs'> {
  /** What a fleet has counted, which counts instead of the ledger of this machine. */
  readonly rows?: readonly QuotaRow[] | undefined
  /** Called if the ledger exists but cannot be read, so that earlier runs are not counted. */
  readonly onProblem?: (problem: LedgerProblem) => void
}

/**
 * When each upload may start, according to the ledger. Sends nothing.
 * @param sizes what each sends in bytes, 0 where it is not known
 * @throws RangeError if a limit never allows one
 */
export function forecastByLedger(
  sizes: readonly number[],
  { onProblem, rows, ...batch }: PlannedBatch,
  credentials: Credentials,
  { clock, io, settings }: Context,
): UploadForecast {
  const ledger = { folder: stateFolder(io.env), ...credentials, onProblem }
  const used = { rows: rows ?? readSharedRows(ledger), limits: limitsOf(settings()), now: clock.now() }
  return forecastUploads(sizes, { ...batch, ...used })
}

/** What all runners have used; undefined without a fleet, and where it cannot be reached. */
export async function readRunners({ fleet, warn }: Context): Promise<FleetReading | undefined> {
  const log = await (await fleet())?.read()
  if (log === undefined || !('reason' in log)) return log
  warn({ message: notes.uncounted('Runners on other machines', reasonInText(log.reason)), hint: log.hint })
  return undefined
}

/** The forecast of a run of downloads: by the rate at which bytes move. */
export function downloadForecast(jobs: number, clock: Clock): Forecast {
  const planned = (sizes: readonly number[], pace: Pace) =>
    forecastUploads(sizes, { ...pace, jobs, limits: unlimited, now: clock.now() })
  return forecastBy(planned, clock)
}

/**
 * The forecast of a run, by what it would take by `planned` and by the rate at which bytes move.
 * @param planned throws a RangeError where a limit allows no upload, which each upload reports itself
 * @param isLeftOut whether an item will not be transferred
 */
export function forecastBy(
  planned: (sizes: readonly number[], pace: Pace) => UploadForecast,
  clock: Clock,
  isLeftOut: (index: number) => boolean = () => false,
): Forecast {
  return ({ underWay, waiting, bytesPerSecond }) => {
    // Something moves, and how fast is not known yet.
    if (bytesPerSecond === undefined && underWay.some((bytes) => bytes !== 0)) return undefined
    const ahead = waiting.filter(({ index }) => !isLeftOut(index))
    const sizes = ahead.map(({ bytes }) => bytes ?? 0)
    // The measured rate has the time in it that the service takes for an answer.
    const pace = bytesPerSecond === undefined ? {} : { bytesPerSecond, leastMs: 0 }
    const startAt = clock.now()
    try {
      const moving = underWay.map((bytes) => bytes ?? 0)
      const { parts, endsAt } = planned(sizes, { underWay: moving, ...pace })
      const hasSizes = [...underWay, ...ahead.map(({ bytes }) => bytes)].every((bytes) => bytes !== undefined)
      const isKnown = (bytesPerSecond !== undefined && hasSizes) || parts.some(isPaced)
      return isKnown ? endsAt - startAt : undefined
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
}
