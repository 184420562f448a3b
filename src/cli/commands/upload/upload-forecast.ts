import type { LedgerProblem } from '../../../index.ts'
import { type LedgerLine, type PlanPart, planUploads } from '../../../internal.ts'
import { stateFolder } from '../../../system/state-folder.ts'
import type { Credentials } from '../../config/connection.ts'
import { limitsOf } from '../../config/settings.ts'
import { asUsage, CliError } from '../../failures/cli-error.ts'
import type { Context } from '../../run/context.ts'

export interface ForecastOptions {
  readonly jobs: number
  readonly reserve?: number | undefined
  /** Called if the ledger exists but cannot be read, so that earlier runs are not counted. */
  readonly onProblem?: (problem: LedgerProblem) => void
  /** The ledger of a fleet, which counts instead. */
  readonly lines?: readonly LedgerLine[] | undefined
}

/**
 * When each of `count` uploads may start, according to the ledger. Sends nothing.
 * @throws CliError of code `usage` if the reserve leaves nothing, or a limit never allows an upload
 */
export function forecastUploads(
  count: number,
  { jobs, reserve, onProblem, lines }: ForecastOptions,
  credentials: Credentials,
  { clock, io, settings }: Context,
): readonly PlanPart[] {
  const limits = limitsOf(settings())
  return asUsage(() =>
    planUploads(count, {
      limits,
      jobs,
      lines,
      ...(reserve !== undefined && { reserve }),
      ledger: { folder: stateFolder(io.env), ...credentials, clock, ...(onProblem && { onProblem }) },
      now: clock.now(),
    }),
  )
}

/** Shorter forecasts are not reported: there, the transfer rate predicts better than the quota. */
const SHORTEST_FORECAST_MS = 5_000
const LEAST_PAUSE_MS = 2_000
/** Forecasts take at most 1/20 of a run's time. */
const SHARE_OF_RUN = 20

/**
 * Reports the expected end of a batch while it runs.
 * @param forecast when `count` more uploads would be done, in epoch milliseconds; undefined if unknown
 * @returns call it with the number of uploads left
 */
export function createForecaster(
  forecast: (count: number) => number | undefined,
  { clock, reporter }: Pick<Context, 'clock' | 'reporter'>,
): (left: number) => void {
  let nextAt = Number.NEGATIVE_INFINITY

  /** A limit that allows no upload is reported by each upload itself. */
  function foreseen(left: number): number | undefined {
    try {
      return forecast(left)
    } catch (error) {
      if (error instanceof CliError) return undefined
      throw error
    }
  }

  return (left) => {
    const startedAt = clock.now()
    if (left < 2 || startedAt < nextAt) return
    const endsAt = foreseen(left)
    const tookMs = clock.now() - startedAt
    nextAt = startedAt + Math.max(LEAST_PAUSE_MS, tookMs * SHARE_OF_RUN)
    if (endsAt !== undefined && endsAt - startedAt >= SHORTEST_FORECAST_MS) {
      reporter.report({ type: 'batch-expected', endsAt })
    }
  }
}
