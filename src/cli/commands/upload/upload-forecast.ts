import { CliError } from '../../failures/cli-error.ts'
import type { Context } from '../../run/context.ts'

/** Shorter forecasts are not reported: there, the transfer rate predicts better than the quota. */
const SHORTEST_FORECAST_MS = 5_000
const LEAST_PAUSE_MS = 2_000
/** Forecasts take at most 1/20 of a run's time. */
const SHARE_OF_RUN = 20

/**
 * Reports the expected end of a batch while it runs.
 * @param expectedEnd when the uploads left will be done, in epoch milliseconds; undefined if unknown. It is asked rarely:
 * it may look at every file
 * @returns call it with the number of uploads left, whenever that changes
 */
export function createForecaster(
  expectedEnd: () => number | undefined,
  { clock, reporter }: Pick<Context, 'clock' | 'reporter'>,
): (filesLeft: number) => void {
  let nextAt = Number.NEGATIVE_INFINITY

  /** A limit that allows no upload is reported by each upload itself. */
  function endIfKnown(): number | undefined {
    try {
      return expectedEnd()
    } catch (error) {
      if (error instanceof CliError) return undefined
      throw error
    }
  }

  return (filesLeft) => {
    const startedAt = clock.now()
    if (filesLeft < 2 || startedAt < nextAt) return
    const endsAt = endIfKnown()
    const tookMs = clock.now() - startedAt
    nextAt = startedAt + Math.max(LEAST_PAUSE_MS, tookMs * SHARE_OF_RUN)
    if (endsAt !== undefined && endsAt - startedAt >= SHORTEST_FORECAST_MS) {
      reporter.report({ type: 'batch-expected', endsAt })
    }
  }
}
