import type { LedgerProblem } from '../../../index.ts'
import { type PlanPart, planUploads } from '../../../internal.ts'
import { stateFolder } from '../../../system/state-folder.ts'
import type { Credentials } from '../../config/connection.ts'
import { limitsOf } from '../../config/setting-values.ts'
import { asUsage, CliError } from '../../failures/cli-error.ts'
import type { Context } from '../../run/context.ts'

export interface ForecastOptions {
  readonly jobs: number
  readonly reserve?: number | undefined
  /** Told where the ledger is there and cannot be read, so that nothing is known of earlier runs. */
  readonly onProblem?: (problem: LedgerProblem) => void
}

/**
 * When each of `count` uploads may start, by the quota as this machine has counted it; nothing is sent.
 * @throws CliError of code `usage` where the reserve leaves nothing, or a limit never allows an upload
 */
export function forecastUploads(
  count: number,
  { jobs, reserve, onProblem }: ForecastOptions,
  credentials: Credentials,
  { clock, io, settings }: Context,
): readonly PlanPart[] {
  const limits = limitsOf(settings())
  return asUsage(() =>
    planUploads(count, {
      limits,
      jobs,
      ...(reserve !== undefined && { reserve }),
      ledger: { folder: stateFolder(io.env), ...credentials, clock, ...(onProblem && { onProblem }) },
      now: clock.now(),
    }),
  )
}

/** Sooner than this it is not worth saying when, and bytes say more than quotas. */
const SHORTEST_TOLD_MS = 5_000
const LEAST_PAUSE_MS = 2_000
/** Forecasts take at most one part in so many of a run's time. */
const THRIFT = 20

/**
 * Tells the reporter, as a batch goes on, when it will be over.
 * @param forecast when so many more would be done, epoch milliseconds; undefined where nobody can know
 * @returns to be called with how many are left
 */
export function createForecaster(
  forecast: (count: number) => number | undefined,
  { clock, reporter }: Pick<Context, 'clock' | 'reporter'>,
): (left: number) => void {
  let nextAt = Number.NEGATIVE_INFINITY

  /** Where no upload can ever go, each upload says so itself. */
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
    nextAt = startedAt + Math.max(LEAST_PAUSE_MS, tookMs * THRIFT)
    if (endsAt !== undefined && endsAt - startedAt >= SHORTEST_TOLD_MS) {
      reporter.report({ type: 'batch-expected', endsAt })
    }
  }
}
