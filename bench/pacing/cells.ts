import type { Summary } from '../../test/pacing/simulation/summary.ts'

export interface TableOptions {
  /** Decides all that is random. */
  readonly seed: number
  /** Fewer runs, for a look. */
  readonly quick: boolean
}

/** `1.03 (1.08)`: mean and highest ratio of makespan to optimum, and the share of runs that did not finish. */
export function ratioCell({ meanRatio, maxRatio, unfinished, runs }: Summary): string {
  if (unfinished === runs) return 'never done'
  const late = unfinished === 0 ? '' : `, ${percent(unfinished / runs)} never done`
  return `${meanRatio.toFixed(2)} (${maxRatio.toFixed(2)})${late}`
}

/** `+14 s (+52 s)`: mean and highest excess over the optimum. */
export function aboveCell({ meanAboveMs, maxAboveMs }: Summary): string {
  return `${signed(meanAboveMs)} (${signed(maxAboveMs)})`
}

/** `0.3 (2)`: refusals per run, and the most of one run. */
export function refusalsCell({ meanRefusals, maxRefusals }: Summary): string {
  return `${short(meanRefusals)} (${maxRefusals})`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`
}

export function short(value: number): string {
  return value > 0 && value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}

function signed(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${seconds < 0 ? '' : '+'}${seconds} s`
}
