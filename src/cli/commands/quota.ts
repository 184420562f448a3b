import type { Command } from 'commander'
import type { QuotaLimits, SharedLedgerOptions } from '../../index.ts'
import {
  forecastUploads,
  forgetSharedQuota,
  type LedgerProblem,
  readQuota,
  readSharedQuota,
  stateOf,
} from '../../internal.ts'
import { reasonInText } from '../../system/system-errors.ts'
import { stateFolder } from '../../system/user-folders.ts'
import type { Fleet, FleetReading } from '../config/fleet.ts'
import { limitsOf } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { CliError } from '../failures/cli-error.ts'
import { quotaLines, toFleetView, toQuotaView, unreadLedger } from '../output/quota-text.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Show the use of each quota window and when uploads fit. Sends nothing.')
    .option('--reset', 'forget what was counted and learned')
    .addHelpText('after', examples)
    .action(({ reset = false }: { reset?: boolean }) => start((context) => showQuota(reset, context)))
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

const uploadCounts = [1, 10, 100] as const

async function showQuota(reset: boolean, context: Context): Promise<void> {
  const { settings, credentials, io, clock, note, print } = context
  const limits = limitsOf(settings())
  const account = await credentials()
  const fleet = await context.fleet(account)
  const local = { ...account, folder: stateFolder(io.env), clock }
  const cleared = reset && fleet === undefined ? forget(local) : undefined
  if (reset && fleet !== undefined) await unlearn(fleet, context)
  const shared = fleet && (await (await import('../batch/forecast.ts')).readRunners(account, context))
  const { reading, used, ...view } = shared
    ? ofFleet(shared, fleet?.server ?? '', limits, clock.now())
    : ofThisMachine(local, limits, context)
  if (cleared !== undefined) {
    const isInFlight = Object.values(reading.windows).some(({ used }) => used > 0)
    const rest = isInFlight ? '; requests in flight still count' : ''
    note(cleared ? `Cleared the counted usage and learned limits${rest}` : 'Nothing to clear')
  }
  const doneAt = (uploads: number) => {
    try {
      return forecastUploads(Array(uploads).fill(0), { now: reading.at, limits, ...used }).endsAt
    } catch (error) {
      // The limits never allow an upload.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  const uploads = uploadCounts.map((uploads) => [uploads, doneAt(uploads)] as const)
  const quota = { ...toQuotaView(reading, uploads), ...(fleet && { fleet: null }), ...view }
  print({ data: quota, text: ({ palette }) => quotaLines(quota, reading.at, palette), isProse: true })
}

type Limits = Partial<QuotaLimits>
type LocalLedger = Omit<SharedLedgerOptions, 'limits'>

/** What this machine has used; `used` is the same for forecasts. */
function ofThisMachine(ledger: LocalLedger, limits: Limits, { warn }: Context) {
  const onProblem = (problem: LedgerProblem) => warn(unreadLedger(problem))
  return { reading: readSharedQuota({ ...ledger, limits, onProblem }), used: { ledger } }
}

/** What all have used that count together. */
function ofFleet(log: FleetReading, server: string, limits: Limits, now: number) {
  const { model, inFlight } = stateOf(log.rows, { limits })
  const reading = readQuota(model, now)
  const fleet = toFleetView(server, log, [...inFlight.values()])
  return { reading, used: { rows: log.rows }, fleet }
}

async function unlearn(fleet: Fleet, { note }: Context): Promise<void> {
  const outage = await fleet.unlearn()
  if (outage !== undefined) {
    const { reason, hint = 'Run it again once it can be reached' } = outage
    throw new CliError('ledger-unusable', `Cannot clear the learned limits: ${reason}`, { hint })
  }
  note('Cleared the learned limits of all runners; what they have used still counts')
}

/** @returns false where there is nothing to forget */
function forget(ledger: LocalLedger): boolean {
  try {
    return forgetSharedQuota(ledger)
  } catch (error) {
    const reason = reasonInText(error instanceof Error ? error.message : String(error))
    throw new CliError('state-unwritable', `Cannot clear the counted usage and learned limits: ${reason}`, {
      hint: `Make ${ledger.folder} writable`,
    })
  }
}
