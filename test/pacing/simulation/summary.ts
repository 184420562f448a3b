import { type Run, type Scenario, simulate } from './simulate.ts'
import type { Strategy } from './strategy.ts'

/** Nothing was sent in vain, and nothing was left behind. */
export const flawless: Partial<Summary> = { totalRefusals: 0, totalWastedUnits: 0, lostFiles: 0, unfinished: 0 }

/** Runs them all, one after another. */
export async function summarize(strategy: Strategy, scenarios: readonly Scenario[]) {
  const runs: (Run & { readonly files: number })[] = []
  for (const scenario of scenarios) runs.push({ ...(await simulate(strategy, scenario)), files: scenario.files })
  const inTime = runs.filter(({ finished }) => finished)
  const ratios = inTime.map(({ ratio }) => ratio)
  const above = inTime.map(({ aboveMs }) => aboveMs)
  const refusals = runs.map((run) => run.refusals)
  const wasted = runs.map((run) => run.wastedUnits)
  const strangers = runs.map(({ stranger }) => stranger)
  return {
    runs: runs.length,
    unfinished: runs.length - inTime.length,
    // Of the runs that were over in time, as are all makespans.
    meanRatio: mean(ratios),
    maxRatio: Math.max(...ratios),
    meanAboveMs: mean(above),
    maxAboveMs: Math.max(...above),
    // Per run.
    meanRefusals: mean(refusals),
    maxRefusals: Math.max(...refusals),
    totalRefusals: sum(refusals),
    /** The share of all uploads that met a refusal, in [0, 1]. */
    refusedShare: sum(runs.map(({ refusedUploads }) => refusedUploads)) / sum(runs.map(({ files }) => files)),
    /** Units per run. */
    meanWastedUnits: mean(wasted),
    totalWastedUnits: sum(wasted),
    lostFiles: sum(runs.map((run) => run.lostFiles)),
    /** The share of a stranger's requests that were refused, in [0, 1]; 0 without a stranger. */
    strangerRefusedShare:
      sum(strangers.map(({ refused }) => refused)) / Math.max(sum(strangers.map(({ sent }) => sent)), 1),
  }
}

/** Many runs in a few numbers. */
export type Summary = Awaited<ReturnType<typeof summarize>>

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
