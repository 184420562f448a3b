import type { Command } from 'commander'
import type { LedgerProblem, SharedLedgerOptions } from '../../index.ts'
import { forgetSharedQuota, planUploads, readSharedQuota } from '../../internal.ts'
import { stateFolder } from '../../system/state-folder.ts'
import { reasonInText } from '../../system/system-errors.ts'
import { ledgerWarning } from '../config/ledger-warning.ts'
import { limitsOf } from '../config/setting-values.ts'
import { CliError } from '../failures/cli-error.ts'
import { toQuotaView } from '../output/format/quota-view.ts'
import type { Reporter } from '../output/reporter.ts'
import type { Context } from '../run/context.ts'

export interface QuotaCommandOptions {
  /** Forgets what was counted and learned. */
  readonly reset: boolean
}

export function register(command: Command, start: (options: QuotaCommandOptions) => void): void {
  command
    .description(
      'Show what is used of each quota window, as counted on this machine, and when more fits. Sends nothing.',
    )
    .option('--reset', 'forget what was counted and learned, but for requests that are under way')
    .addHelpText('after', examples)
    .action((flags: Partial<QuotaCommandOptions>) => start({ reset: false, ...flags }))
}

const examples = `
All runs of fh on this machine that use the same key count together; what others send with it is not known here.
After a refusal less than the limit is believed for a while: 20 (10 believed until 20:16, after a refusal).

Examples:
  fh quota
  fh quota --json --fields minute,hold
  fh quota --limits minute=120
  fh quota --reset`

/** How many uploads it is told of when they would be done. */
const uploadCounts = [1, 10, 100] as const

export async function run({ reset }: QuotaCommandOptions, context: Context): Promise<void> {
  const { settings, credentials, io, clock, reporter } = context
  const limits = limitsOf(settings())
  const ledger = {
    ...(await credentials()),
    folder: stateFolder(io.env),
    clock,
    onProblem: (problem: LedgerProblem) => reporter.report(ledgerWarning(problem)),
  }
  if (reset) forget(ledger, reporter)
  const reading = readSharedQuota({ ...ledger, limits })
  const { onProblem: _told, ...quietLedger } = ledger
  const doneAt = (count: number) => {
    try {
      return planUploads(count, { now: reading.at, limits, ledger: quietLedger }).at(-1)?.endsAt
    } catch (error) {
      // Limits that never allow an upload: there is no such instant.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  const uploads = uploadCounts.map((count) => [count, doneAt(count)] as const)
  reporter.report({ type: 'quota-shown', quota: toQuotaView(reading, uploads), now: reading.at })
}

function forget(ledger: Omit<SharedLedgerOptions, 'limits'>, reporter: Reporter): void {
  try {
    const text = forgetSharedQuota(ledger) ? 'Forgot what was counted and learned' : 'There is nothing to forget'
    reporter.report({ type: 'note', text })
  } catch (error) {
    const reason = reasonInText(error instanceof Error ? error.message : String(error))
    throw new CliError('state-unwritable', `What was counted and learned cannot be forgotten: ${reason}`, {
      hint: `Make ${ledger.folder} writable`,
    })
  }
}
