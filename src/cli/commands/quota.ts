import type { Command } from 'commander'
import type { LedgerProblem, SharedLedgerOptions } from '../../index.ts'
import { forgetSharedQuota, planUploads, readSharedQuota } from '../../internal.ts'
import { stateFolder } from '../../system/state-folder.ts'
import { reasonInText } from '../../system/system-errors.ts'
import { limitsOf } from '../config/settings.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Reporter } from '../output/events.ts'
import { toQuotaView } from '../output/quota-text.ts'
import type { Context } from '../run/context.ts'

export interface QuotaCommandOptions {
  /** Whether to clear the counted usage and the learned limits. */
  readonly reset: boolean
}

export function register(command: Command, start: (options: QuotaCommandOptions) => void): void {
  command
    .description(
      'Show the usage of each quota window, as counted on this machine, and when the next upload fits. Sends nothing.',
    )
    .option('--reset', 'clear the counted usage and learned limits, except requests in flight')
    .addHelpText('after', examples)
    .action((flags: Partial<QuotaCommandOptions>) => start({ reset: false, ...flags }))
}

const examples = `
All runs of fh on this machine with the same key are counted together. Requests from other machines are not counted.
After a refusal, fh assumes a lower limit for a while: 20 (10 assumed until 20:16, after a refusal).

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
  const ledger = {
    ...(await credentials()),
    folder: stateFolder(io.env),
    clock,
    onProblem: (problem: LedgerProblem) =>
      reporter.report({ type: 'warning', warning: { type: 'ledger-unreadable', ...problem } }),
  }
  if (reset) forget(ledger, reporter)
  const reading = readSharedQuota({ ...ledger, limits })
  const { onProblem: _told, ...quietLedger } = ledger
  const doneAt = (count: number) => {
    try {
      return planUploads(count, { now: reading.at, limits, ledger: quietLedger }).at(-1)?.endsAt
    } catch (error) {
      // The limits never allow an upload.
      if (error instanceof RangeError) return undefined
      throw error
    }
  }
  const uploads = uploadCounts.map((count) => [count, doneAt(count)] as const)
  reporter.report({ type: 'quota-shown', quota: toQuotaView(reading, uploads), now: reading.at })
}

function forget(ledger: Omit<SharedLedgerOptions, 'limits'>, reporter: Reporter): void {
  try {
    reporter.report({ type: 'note', note: { type: 'quota-cleared', isEmpty: !forgetSharedQuota(ledger) } })
  } catch (error) {
    const reason = reasonInText(error instanceof Error ? error.message : String(error))
    throw new CliError('state-unwritable', `Cannot clear the counted usage and learned limits: ${reason}`, {
      hint: `Make ${ledger.folder} writable`,
    })
  }
}
