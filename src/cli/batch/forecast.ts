import { type LedgerLine, type PlanPart, planUploads, type UploadForecast } from '../../internal.ts'
import type { LedgerProblem } from '../../ledger.ts'
import { stateFolder } from '../../system/state-folder.ts'
import type { Credentials } from '../config/connection.ts'
import { limitsOf } from '../config/settings.ts'
import { asUsage } from '../failures/cli-error.ts'
import type { Context } from '../run/context.ts'
import { type Forecast, forecastBy, type PlannedBatch, type RunForecastOptions } from './time-ahead.ts'

export interface ForecastOptions {
  /** Default: uploads. */
  readonly of?: 'upload' | 'delete'
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
 * When each upload or deletion may start, according to the ledger. Sends nothing.
 * @param sizes what each sends in bytes, 0 where it is not known
 * @throws CliError of code `usage` if the reserve leaves nothing, or a limit never allows one
 */
export function forecastBatch(
  sizes: readonly number[],
  { bwlimit, ...options }: ForecastOptions,
  credentials: Credentials,
  context: Context,
): readonly PlanPart[] {
  return asUsage(() => plan({ sizes, bytesPerSecond: bwlimit }, options, credentials, context)).parts
}

function plan(
  batch: PlannedBatch,
  { of, jobs, reserve, onProblem, lines }: ForecastOptions,
  credentials: Credentials,
  { clock, io, settings }: Context,
): UploadForecast {
  return planUploads(batch.sizes.length, {
    ...batch,
    limits: limitsOf(settings()),
    jobs,
    lines,
    ...(of && { of }),
    ...(reserve !== undefined && { reserve }),
    ledger: { folder: stateFolder(io.env), ...credentials, clock, ...(onProblem && { onProblem }) },
    now: clock.now(),
  })
}

export interface UploadForecastOptions extends RunForecastOptions {
  readonly reserve?: number | undefined
  lines(): ForecastOptions['lines']
}

/** The forecast of a run of uploads: by the ledger, and by the rate at which bytes move. */
export function uploadForecast(
  { isLeftOut, lines, ...options }: UploadForecastOptions,
  credentials: Credentials,
  context: Context,
): Forecast {
  const planned = (batch: PlannedBatch) => plan(batch, { ...options, lines: lines() }, credentials, context)
  return forecastBy(planned, isLeftOut, context.clock)
}

/** What all runners have used; undefined without a fleet, and where it cannot be reached. */
export async function linesOfFleet(
  credentials: Credentials,
  context: Context,
): Promise<readonly LedgerLine[] | undefined> {
  const log = await (await context.fleet(credentials))?.read()
  if (log === undefined) return undefined
  if (!('reason' in log)) return log.lines
  context.reporter.report({ type: 'warning', warning: { type: 'fleet-unread', ...log } })
  return undefined
}
