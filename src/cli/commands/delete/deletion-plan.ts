import { defaultLimits, endpoints } from '../../../index.ts'
import { forecastBatch, linesOfFleet } from '../../batch/forecast.ts'
import type { Credentials } from '../../config/connection.ts'
import { limitsOf } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import type { DeletionPlan } from '../../output/deletion-text.ts'
import { isPaced } from '../../output/time-ahead.ts'
import type { LookedUp } from './find-uploads.ts'

/** The end of more is extrapolated: the forecast itself would take long. */
const MOST_FORECAST = 500
const DAY_MS = 86_400_000
/** A shorter deletion is not worth a forecast. */
const SHORTEST_FORECAST_MS = 20_000

/**
 * What deleting these uploads takes; those that are known not to exist do not count. Sends nothing.
 * @throws CliError of code `usage` if the limits never allow a deletion
 */
export async function planDeletions(
  slugs: readonly string[],
  found: LookedUp,
  credentials: Credentials,
  context: Context,
): Promise<DeletionPlan> {
  const there = slugs.flatMap((slug) => {
    const upload = found.get(slug)
    return upload instanceof Error ? [] : [upload]
  })
  const sizes = there.map((upload) => upload?.size)
  const count = there.length
  return {
    count,
    bytes: sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0),
    units: count * endpoints.delete.cost,
    endsAt: count > 1 ? await endOf(count, credentials, context) : undefined,
  }
}

async function endOf(count: number, credentials: Credentials, context: Context): Promise<number | undefined> {
  const lines = await linesOfFleet(credentials, context)
  const now = context.clock.now()
  const forecast = Math.min(count, MOST_FORECAST)
  const parts = forecastBatch(Array(forecast).fill(0), { of: 'delete', jobs: 1, lines }, credentials, context)
  const last = parts.at(-1)
  if (last === undefined || !parts.some(isPaced)) return undefined
  const { day = defaultLimits.day } = limitsOf(context.settings())
  const wholeDays = day === null ? 0 : Math.floor((count * endpoints.delete.cost - 1) / day)
  const tookMs = Math.max(((last.endsAt - now) * count) / forecast, wholeDays * DAY_MS)
  return tookMs < SHORTEST_FORECAST_MS ? undefined : now + tookMs
}
