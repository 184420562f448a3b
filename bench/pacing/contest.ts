import type { RefusalCharge } from '../../test/pacing/simulation/model.ts'
import { ours } from '../../test/pacing/simulation/ours.ts'
import { combined, seedsFrom } from '../../test/pacing/simulation/scenarios.ts'
import { summarize } from '../../test/pacing/simulation/summary.ts'
import { exponentialBackoff } from './baselines/backoff.ts'
import { parallelCurl, sequentialCurl, withoutRetry } from './baselines/curl.ts'
import { oneWriteASecond, pauseEverything } from './baselines/pauses.ts'
import { clientTokenBucket, countedAtSend, reservoir } from './baselines/send-gates.ts'
import { ratioCell, short, type TableOptions } from './cells.ts'

const contenders = [
  withoutRetry,
  sequentialCurl,
  parallelCurl,
  exponentialBackoff,
  clientTokenBucket,
  reservoir,
  oneWriteASecond,
  pauseEverything,
  countedAtSend,
  ours,
]

/** Our pacer and common strategies, where refusals are free and where they are charged. */
export async function printContest(options: TableOptions): Promise<void> {
  const sizes = options.quick ? [10, 100] : [10, 100, 1_000]
  console.log('\nRefusals free: mean (max) ratio | refused bodies a run')
  console.table(await contest(options, 'none', sizes))
  console.log('\nRefusals charged in full: mean (max) ratio | refused bodies a run | units wasted a run')
  console.table(await contest(options, 'full', [10, 100]))
}

async function contest({ seed, quick }: TableOptions, refusalCharge: RefusalCharge, sizes: readonly number[]) {
  const rows: Record<string, string | number>[] = []
  for (const strategy of contenders) {
    const row: Record<string, string | number> = { strategy: strategy.name }
    for (const files of sizes) {
      const seeds = seedsFrom(seed, quick || files === 1_000 ? 2 : 10)
      const summary = await summarize(strategy, combined({ files, seeds, refusalCharges: [refusalCharge] }))
      const lost = summary.lostFiles === 0 ? ratioCell(summary) : `loses ${short(summary.lostFiles / summary.runs)}`
      const wasted = refusalCharge === 'none' ? '' : ` | ${short(summary.meanWastedUnits)}`
      row[`N=${files}`] = `${lost} | ${short(summary.meanRefusals)}${wasted}`
    }
    rows.push(row)
  }
  return rows
}
