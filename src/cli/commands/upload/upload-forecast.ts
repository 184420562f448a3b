import { CliError } from '../../failures/cli-error.ts'
import type { Context } from '../../run/context.ts'

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
