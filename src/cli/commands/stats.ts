import type { Command } from 'commander'
import type { RateReport } from '../../pacing/rate-headers.ts'
import type { Context, Start } from '../context/context.ts'
import { statsLines } from '../output/tables/account-text.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Show the statistics and the remaining quota of the account.')
    .addHelpText('after', examples)
    .action(() => start(showStats))
}

const examples = `
Examples:
  fh stats
  fh stats --json --fields uploads,remaining`

async function showStats({ client, print, interruption }: Context): Promise<void> {
  let report: RateReport = {}
  const calls = await client({
    onEvent: (event) => {
      if (event.type === 'response') report = event.report
    },
  })
  const stats = await calls.stats({ signal: interruption.stopping })
  const { limit = null, remaining = null, resetAt, cost = null } = report
  const reset_at = resetAt === undefined ? null : new Date(resetAt).toISOString()
  const quota = { limit, remaining, reset_at, cost }
  print({ data: { stats, quota }, text: (page) => statsLines(stats, quota, page) })
}
