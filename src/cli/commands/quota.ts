import type { Command } from 'commander'
import { type LedgerProblem, planUploads, readSharedQuota, stateFolder } from '../../index.ts'
import type { Context } from '../context.ts'
import { ledgerWarning } from '../service/ledger-warning.ts'
import { limitsOf } from '../settings/setting-values.ts'
import { toQuotaView } from '../words/quota-view.ts'

export function register(command: Command, start: (options: object) => void): void {
  command
    .description(
      'Show what is used of each quota window, as counted on this machine, and when more fits. Sends nothing.',
    )
    .addHelpText('after', examples)
    .action(() => start({}))
}

const examples = `
All runs of fh on this machine that use the same key count together; what others send with it is not known here.

Examples:
  fh quota
  fh quota --json --fields minute,hold
  fh quota --limits minute=120`

/** How many uploads it is told of when they would be done. */
const uploadCounts = [1, 10, 100] as const

export async function run(_: object, { settings, credentials, io, clock, reporter }: Context): Promise<void> {
  const limits = limitsOf(settings())
  const ledger = {
    ...(await credentials()),
    folder: stateFolder(io.env),
    clock,
    onProblem: (problem: LedgerProblem) => reporter.report(ledgerWarning(problem)),
  }
  const reading = readSharedQuota({ ...ledger, limits })
  const { onProblem: _told, ...quietLedger } = ledger
  const uploads = uploadCounts.map((count) => {
    const parts = planUploads(count, { now: reading.at, limits, ledger: quietLedger })
    return [count, parts.at(-1)?.endsAt] as const
  })
  reporter.report({ type: 'quota-shown', quota: toQuotaView(reading, uploads), now: reading.at })
}
