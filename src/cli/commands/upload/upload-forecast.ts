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
  /** Bytes per second of all uploads together. */
  readonly bwlimit?: number | undefined
  /** Called if the ledger exists but cannot be read, so that earlier runs are not counted. */
  readonly onProblem?: (problem: LedgerProblem) => void
  /** The ledger of a fleet, which counts instead. */
  readonly lines?: readonly LedgerLine[] | undefined
}

/**
 * When each upload may start, according to the ledger. Sends nothing.
 * @param bytes the size of each, 0 where it is not known
 * @throws CliError of code `usage` if the reserve leaves nothing, or a limit never allows an upload
 */
export function forecastUploads(
  bytes: readonly number[],
  { jobs, reserve, bwlimit, onProblem, lines }: ForecastOptions,
  credentials: Credentials,
  { clock, io, settings }: Context,
): readonly PlanPart[] {
  const limits = limitsOf(settings())
  return asUsage(() =>
    planUploads(bytes.length, {
      limits,
      jobs,
      lines,
      transferMs: bwlimit === undefined ? undefined : (index) => ((bytes[index] ?? 0) * 1_000) / bwlimit,
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
 * @param forecast when uploads of these sizes would be done, in epoch milliseconds; undefined if unknown
 * @returns call it with the sizes of the uploads left
 */
export function createForecaster(
  forecast: (left: readonly number[]) => number | undefined,
  { clock, reporter }: Pick<Context, 'clock' | 'reporter'>,
): (left: readonly number[]) => void {
  let nextAt = Number.NEGATIVE_INFINITY

  /** A limit that allows no upload is reported by each upload itself. */
  function foreseen(left: readonly number[]): number | undefined {
    try {
      return forecast(left)
    } catch (error) {
      if (error instanceof CliError) return undefined
      throw error
    }
  }

  return (left) => {
    const startedAt = clock.now()
    if (left.length < 2 || startedAt < nextAt) return
    const endsAt = foreseen(left)
    const tookMs = clock.now() - startedAt
    nextAt = startedAt + Math.max(LEAST_PAUSE_MS, tookMs * SHARE_OF_RUN)
    if (endsAt !== undefined && endsAt - startedAt >= SHORTEST_FORECAST_MS) {
      reporter.report({ type: 'batch-expected', endsAt })
    }
  }
}
