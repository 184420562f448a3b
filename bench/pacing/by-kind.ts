import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { refusalCharges } from '../../test/pacing/simulation/model.ts'
import { ours } from '../../test/pacing/simulation/ours.ts'
import { combined, seedsFrom } from '../../test/pacing/simulation/scenarios.ts'
import { summarize } from '../../test/pacing/simulation/summary.ts'
import { aboveCell, ratioCell, type TableOptions } from './cells.ts'

/** Numbers of uploads, and of seeds in a quick and in a full table. */
const sizes = [
  { files: 10, quickSeeds: 3, seeds: 40 },
  { files: 100, quickSeeds: 2, seeds: 20 },
  { files: 110, quickSeeds: 1, seeds: 10 },
  { files: 200, quickSeeds: 1, seeds: 10 },
  { files: 400, quickSeeds: 1, seeds: 10 },
  { files: 1_000, quickSeeds: 1, seeds: 5 },
  { files: 5_000, quickSeeds: 0, seeds: 2 },
] as const

/** Our pacer by kind of window and number of files, over all ways of charging refusals. */
export async function printByKind({ seed, quick }: TableOptions): Promise<void> {
  let uploads = 0
  const rows: Record<string, string | number>[] = []
  for (const kind of windowKinds) {
    const row: Record<string, string | number> = { windows: kind }
    let refusals = 0
    for (const { files, ...counts } of sizes) {
      const seeds = seedsFrom(seed, quick ? counts.quickSeeds : counts.seeds)
      if (seeds.length === 0) continue
      const summary = await summarize(ours, combined({ kinds: [kind], refusalCharges, files, seeds }))
      if (files === 10) row['N=10, s above optimum'] = aboveCell(summary)
      row[`N=${files}, ratio`] = ratioCell(summary)
      refusals += summary.totalRefusals
      uploads += summary.runs * files
    }
    rows.push({ ...row, refusals })
  }
  console.log(`\nOurs by kind of window: mean (max) of makespan to optimum; ${uploads.toLocaleString('en')} uploads`)
  console.table(rows)
}
