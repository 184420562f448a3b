import { type LedgerLine, type PlanPart, planUploads } from '../../internal.ts'
import type { LedgerProblem } from '../../ledger.ts'
import { stateFolder } from '../../system/state-folder.ts'
import type { Credentials } from '../config/connection.ts'
import { limitsOf } from '../config/settings.ts'
import { asUsage } from '../failures/cli-error.ts'
import type { Context } from '../run/context.ts'

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
 * @param bytes what each sends, 0 where it is not known
 * @throws CliError of code `usage` if the reserve leaves nothing, or a limit never allows one
 */
export function forecastBatch(
  bytes: readonly number[],
  { of, jobs, reserve, bwlimit, onProblem, lines }: ForecastOptions,
  credentials: Credentials,
  { clock, io, settings }: Context,
): readonly PlanPart[] {
  const limits = limitsOf(settings())
  return asUsage(() =>
    planUploads(bytes.length, {
      limits,
      jobs,
      lines,
      ...(of && { of }),
      transferMs: bwlimit === undefined ? undefined : (index) => ((bytes[index] ?? 0) * 1_000) / bwlimit,
      ...(reserve !== undefined && { reserve }),
      ledger: { folder: stateFolder(io.env), ...credentials, clock, ...(onProblem && { onProblem }) },
      now: clock.now(),
    }),
  )
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
