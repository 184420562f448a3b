import type { Command } from 'commander'
import type { Clock, QuotaLimits, SharedLedgerOptions } from '../../index.ts'
import {
  foldLedger,
  forgetSharedQuota,
  type PlanOptions,
  planUploads,
  type QuotaReading,
  readQuota,
  readSharedQuota,
} from '../../internal.ts'
import type { LedgerProblem } from '../../ledger.ts'
import { stateFolder } from '../../system/private-folder.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { Fleet } from '../config/fleet.ts'
import { limitsOf } from '../config/settings.ts'
import type { Context } from '../context/context.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Reporter } from '../output/events.ts'
import { type FleetView, toFleetView, toQuotaView } from '../output/quota-text.ts'

export interface QuotaCommandOptions {
  /** Whether to clear the counted usage and the learned limits. */
  readonly reset: boolean
}

export function register(command: Command, start: (options: QuotaCommandOptions) => void): void {
  command
    .description('Show the use of each quota window and when uploads fit. Sends nothing.')
    .option('--reset', 'forget what was counted and learned')
    .addHelpText('after', examples)
    .action((flags: Partial<QuotaCommandOptions>) => start({ reset: false, ...flags }))
}

const examples = `
All runs of fh with the same key on this machine are counted together; with
FH_LEDGER, so are those of other machines. After a refusal, fh assumes a lower
limit for a while: 20 (10 assumed until 20:16, after a refusal).

Examples:
  fh quota
  fh quota --json --fields minute,hold
  fh quota --limits minute=120
  fh quota --reset`

/** The numbers of uploads whose end is forecast. */
const uploadCounts = [1, 10, 100] as const

export async function run({ reset }: QuotaCommandOptions, context: Context): Promise<void> {
  const { settings, credentials, io, clock, reporter } = context
  const limits = limitsOf(settings())
  const account = await credentials()
  const fleet = await context.fleet(account)
  const local = { ...account, folder: stateFolder(io.env), clock }
  const cleared = reset && fleet === undefined ? forget(local) : undefined
  if (reset && fleet !== undefined) await unlearn(fleet, reporter)
  const count = await ofFleet(fleet, { limits, clock, reporter })
  const folder = fleet?.aloneFolder(local.folder) ?? local.folder
  const { reading, used } = count ?? ofThisMachine({ ...local, folder }, { limits, reporter })
  if (cleared !== undefined) {
    const isInFlight = Object.values(reading.windows).some(({ used }) => used > 0)
    reporter.report({ type: 'note', note: { type: 'quota-cleared', isEmpty: !cleared, isInFlight } })
  }
  const doneAt = (uploads: number) => {
    try {
      return planUploads(uploads, { now: reading.at, limits, ...used }).endsAt
    } catch (error) {
      // The limits never allow an upload.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  const uploads = uploadCounts.map((uploads) => [uploads, doneAt(uploads)] as const)
  const quota = { ...toQuotaView(reading, uploads), ...(fleet && { fleet: count?.fleet ?? null }) }
  reporter.report({ type: 'quota-shown', quota, now: reading.at })
}

/** What has been used, by all who count together. */
interface Count {
  readonly reading: QuotaReading
  /** The same for forecasts. */
  readonly used: Pick<PlanOptions, 'ledger' | 'lines'>
  readonly fleet?: FleetView
}

interface Viewing {
  readonly limits: Partial<QuotaLimits>
  readonly reporter: Reporter
}

function ofThisMachine(ledger: Omit<SharedLedgerOptions, 'limits'>, { limits, reporter }: Viewing): Count {
  const onProblem = (problem: LedgerProblem) =>
    reporter.report({ type: 'warning', warning: { type: 'ledger-unreadable', ...problem } })
  return { reading: readSharedQuota({ ...ledger, limits, onProblem }), used: { ledger } }
}

/** Undefined without a fleet, and where it cannot be reached. */
async function ofFleet(
  fleet: Fleet | undefined,
  { limits, clock, reporter }: Viewing & { readonly clock: Clock },
): Promise<Count | undefined> {
  const log = await fleet?.read()
  if (fleet === undefined || log === undefined) return undefined
  if ('reason' in log) {
    reporter.report({ type: 'warning', warning: { type: 'fleet-unread', ...log } })
    return undefined
  }
  const { lines } = log
  const { model, inFlight } = foldLedger(lines, { limits })
  const reading = readQuota(model(), clock.now())
  const view = toFleetView({ ...log, server: fleet.server, inFlight: [...inFlight.values()], windows: reading.windows })
  return { reading, used: { lines }, fleet: view }
}

async function unlearn(fleet: Fleet, reporter: Reporter): Promise<void> {
  const outage = await fleet.unlearn()
  if (outage !== undefined) {
    const { reason, hint = 'Run it again once it can be reached' } = outage
    throw new CliError('ledger-unusable', `Cannot clear the learned limits: ${reason}`, { hint })
  }
  reporter.report({ type: 'note', note: { type: 'fleet-unlearned' } })
}

/** @returns false where there is nothing to forget */
function forget(ledger: Omit<SharedLedgerOptions, 'limits'>): boolean {
  try {
    return forgetSharedQuota(ledger)
  } catch (error) {
    const reason = reasonInText(error instanceof Error ? error.message : String(error))
    throw new CliError('state-unwritable', `Cannot clear the counted usage and learned limits: ${reason}`, {
      hint: `Make ${ledger.folder} writable`,
    })
  }
}
