import { retryAfterForms } from '../../test/pacing/simulation/header-forms.ts'
import type { ServiceModel } from '../../test/pacing/simulation/model.ts'
import { usualModel } from '../../test/pacing/simulation/model.ts'
import { strangers } from '../../test/pacing/simulation/other-client.ts'
import { ours, oursWith } from '../../test/pacing/simulation/ours.ts'
import { combined, mixed, seedsFrom } from '../../test/pacing/simulation/scenarios.ts'
import type { Scenario } from '../../test/pacing/simulation/simulate.ts'
import { summarize } from '../../test/pacing/simulation/summary.ts'
import { aboveCell, percent, ratioCell, refusalsCell, type TableOptions } from './cells.ts'

interface Condition {
  readonly name: string
  readonly scenarios: readonly Scenario[]
  readonly jobs?: number
}

/** Our pacer under different behaviour of the service and its other users. */
export async function printConditions(options: TableOptions): Promise<void> {
  const rows: Record<string, string | number>[] = []
  for (const { name, scenarios, jobs } of conditionsOf(options)) {
    const summary = await summarize(jobs === undefined ? ours : oursWith({ jobs }), scenarios)
    rows.push({
      condition: name,
      N: scenarios[0]?.files ?? 0,
      'mean (max) ratio': ratioCell(summary),
      'above optimum': aboveCell(summary),
      'refusals a run (max)': refusalsCell(summary),
      'uploads refused': percent(summary.refusedShare),
      lost: summary.lostFiles,
      'stranger refused': summary.strangerRefusedShare > 0 ? percent(summary.strangerRefusedShare) : '',
    })
  }
  console.log('\nOurs under other conditions, all five kinds of window unless said')
  console.table(rows)
}

function conditionsOf({ seed, quick }: TableOptions): readonly Condition[] {
  const few = seedsFrom(seed, quick ? 1 : 4)
  const many = seedsFrom(seed, quick ? 4 : 40)
  const hundred = (model: Partial<ServiceModel>) => combined({ files: 100, seeds: few, model })
  const hiddenHour: Partial<ServiceModel> = { limits: { ...usualModel.limits, hour: 500 } }
  return [
    { name: 'one job', jobs: 1, scenarios: combined({ files: 100, seeds: few }) },
    { name: 'eight jobs', jobs: 8, scenarios: combined({ files: 100, seeds: few }) },
    { name: 'no soft delay', scenarios: hundred({ softDelay: false }) },
    { name: 'uploads of 5-90 s', scenarios: hundred({ uploadMs: [5_000, 90_000] }) },
    {
      name: 'uploads of 5-90 s',
      scenarios: combined({ files: 1_000, seeds: few, model: { uploadMs: [5_000, 90_000] } }),
    },
    { name: 'no X-RateLimit headers', scenarios: hundred({ headers: [] }) },
    { name: 'no X-RateLimit headers', scenarios: combined({ files: 1_000, seeds: few, model: { headers: [] } }) },
    { name: 'headers of the tightest window', scenarios: hundred({ toldWindow: 'tightest' }) },
    { name: 'minute of 30, told', scenarios: hundred({ limits: { ...usualModel.limits, minute: 30 } }) },
    { name: 'Reset in epoch ms', scenarios: hundred({ reset: 'epoch-ms' }) },
    { name: 'Reset as seconds to go', scenarios: hundred({ reset: 'delta' }) },
    { name: 'our clock slow by 50 ppm', scenarios: combined({ files: 1_000, seeds: few, clockDrift: -5e-5 }) },
    { name: 'our clock fast by 50 ppm', scenarios: combined({ files: 1_000, seeds: few, clockDrift: 5e-5 }) },
    { name: 'our clock 5 minutes ahead', scenarios: combined({ files: 100, seeds: few, clockErrorMs: 300_000 }) },
    {
      name: 'log of whole seconds',
      scenarios: combined({ files: 100, kinds: ['sliding_second'], seeds: many }),
    },
    {
      name: 'log of whole seconds',
      scenarios: combined({ files: 1_000, kinds: ['sliding_second'], seeds: few }),
    },
    { name: 'kinds mixed', scenarios: mixed({ files: 100, seeds: many }) },
    { name: 'kinds mixed', scenarios: mixed({ files: 990, seeds: many }) },
    { name: 'four processes, sharing', scenarios: combined({ files: 40, processes: 4, seeds: few }) },
    { name: 'four processes, sharing', scenarios: combined({ files: 400, processes: 4, seeds: few }) },
    {
      name: 'four processes, each its own',
      scenarios: combined({ files: 400, processes: 4, shared: false, seeds: few }),
    },
    { name: 'ten files a run, kept', scenarios: combined({ files: 100, filesPerProcess: 10, seeds: few }) },
    { name: 'ten files a run, kept', scenarios: combined({ files: 400, filesPerProcess: 10, seeds: few }) },
    {
      name: 'ten files a run, forgotten',
      scenarios: combined({ files: 100, filesPerProcess: 10, shared: false, seeds: few }),
    },
    ...strangers.map((stranger) => ({
      name: `stranger takes half: ${stranger}`,
      scenarios: combined({ files: 400, stranger, seeds: few }),
    })),
    { name: 'half of the hour hidden', scenarios: combined({ files: 400, seeds: few, model: hiddenHour }) },
    ...retryAfterForms.map((retryAfter) => ({
      name: `half of the hour hidden, Retry-After: ${retryAfter}`,
      scenarios: hundred({ ...hiddenHour, retryAfter }),
    })),
  ]
}
