import type { Command } from 'commander'
import { forecastUploads } from '../../pacing/forecast.ts'
import {
  forgetSharedQuota,
  type LedgerProblem,
  readQuota,
  readSharedRows,
  stateOf,
} from '../../pacing/shared/shared-ledger.ts'
import { stateFolder } from '../../system/environment.ts'
import { limitsOf } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { unreadLedger } from '../output/notes.ts'
import { quotaLines, toQuotaView } from '../output/quota-text.ts'

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
  const { settings, credentials, io, clock, warn, print } = context
  const limits = limitsOf(settings())
  const account = await credentials()
  const fleet = await context.fleet()
  const ledger = { ...account, folder: stateFolder(io.env), clock }
  const outage = reset ? await fleet?.unlearn() : undefined
  if (outage !== undefined) throw outage
  if (reset && fleet === undefined) await forgetSharedQuota(ledger)
  const shared = fleet && (await (await import('../batch/forecast.ts')).readRunners(context))
  const onProblem = (problem: LedgerProblem) => warn(unreadLedger(problem))
  const rows = shared?.rows ?? readSharedRows({ ...ledger, onProblem })
  const { model } = stateOf(rows, { limits })
  const reading = readQuota(model, clock.now())
  const options = { now: reading.at, limits, rows }
  const uploads = uploadCounts.map((uploads) => [uploads, doneAt(uploads, options)] as const)
  const quota = toQuotaView(reading, uploads)
  print({ data: quota, text: ({ palette }) => quotaLines(quota, reading.at, palette) })
}

/** Undefined where the limits never allow an upload. */
function doneAt(uploads: number, options: Parameters<typeof forecastUploads>[1]): number | undefined {
  try {
    return forecastUploads(Array(uploads).fill(0), options).endsAt
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
