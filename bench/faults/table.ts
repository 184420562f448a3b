import fc from 'fast-check'
import { createWorkspace, type Workspace } from '../../test/fuzz/files.ts'
import { lastReport, runScenario } from '../../test/fuzz/run-scenario.ts'
import { type Scenario, scenarios } from '../../test/fuzz/scenario.ts'
import type { Outcome } from '../../test/fuzz/stage.ts'
import { createTally, type Tally } from './tally.ts'

export interface TableOptions {
  readonly seed: number
  readonly sequences: number
}

const failures = ['lost', 'doubled', 'mixed up', 'wrongly reported', 'stuck']
const columns = ['sequences', ...failures, 'files', 'unknown', 'runs', 'kills']

/** Runs random scenarios of one run at a time and prints counts of their results, and each that led to a violation. */
export async function printTable({ seed, sequences }: TableOptions): Promise<void> {
  const tally = createTally(columns)
  const workspace = createWorkspace()
  try {
    for (const scenario of fc.sample(scenarios, { seed, numRuns: sequences })) await runOne(scenario, workspace, tally)
  } finally {
    workspace.close()
  }
  tally.print()
  for (const service of ['keeps', 'changes']) {
    const name = `files left unknown, where the service ${service} them`
    tally.printShare(name, `unknown, the service ${service} files`, `files, the service ${service} files`)
  }
  if (tally.has(failures)) process.exitCode = 1
}

async function runOne(scenario: Scenario, workspace: Workspace, tally: Tally): Promise<void> {
  tally.add('sequences')
  try {
    count(await runScenario(scenario, workspace), scenario, tally)
  } catch (error) {
    tally.add('stuck')
    console.log(`  stuck: ${error instanceof Error ? error.stack : error}\n    ${JSON.stringify(scenario)}`)
  }
}

function count(outcome: Outcome, scenario: Scenario, { add }: Tally): void {
  const { violations, struck, runs, requests, refusals } = outcome
  const files = scenario.files.length
  const kills = runs.filter(({ end }) => end === 'killed').length
  const service = outcome.changesFiles ? 'the service changes files' : 'the service keeps files'
  for (const [name, number] of Object.entries({ files, runs: runs.length, kills, requests })) add(name, number)
  add('refused for quota (429) by the service', refusals)
  for (const type of struck) add(`struck by ${type}`)
  for (const { type } of violations.slice(0, 1)) add(type)
  if (violations.length > 0) console.log(`  ${JSON.stringify(violations)}\n    ${JSON.stringify(scenario)}`)
  add(`files, ${service}`, files)
  for (const index of scenario.files.keys()) {
    const report = lastReport(outcome, index)
    if (report?.status !== 'unknown') continue
    add('unknown')
    add(`unknown, ${service}`)
    if (process.argv.includes('--unknown')) console.log(`  ${report.error?.message}\n    ${JSON.stringify(scenario)}`)
  }
}
