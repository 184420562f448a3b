import fc from 'fast-check'
import { createWorkspace } from '../../test/fuzz/files.ts'
import { type Outcome, runScenario } from '../../test/fuzz/run-scenario.ts'
import { type Scenario, scenarios } from '../../test/fuzz/scenario.ts'

export interface TableOptions {
  readonly seed: number
  readonly sequences: number
}

/** Runs random scenarios and prints counts of their results, and each scenario that led to a violation. */
export async function printTable({ seed, sequences }: TableOptions): Promise<void> {
  const tally = createTally()
  const startedAt = performance.now()
  const workspace = createWorkspace()
  try {
    for (const scenario of fc.sample(scenarios, { seed, numRuns: sequences })) await runOne(scenario, workspace, tally)
  } finally {
    workspace.close()
  }
  const seconds = (performance.now() - startedAt) / 1_000
  tally.add('seconds', Math.round(seconds))
  const { counts } = tally
  for (const name of [...columns, ...[...counts.keys()].filter((key) => !columns.includes(key)).sort()]) {
    console.log(`  ${name.padEnd(44)} ${(counts.get(name) ?? 0).toLocaleString('en').padStart(9)}`)
  }
  for (const service of ['keeps', 'changes']) {
    const share =
      (100 * (counts.get(`unknown, the service ${service} files`) ?? 0)) /
      (counts.get(`files, the service ${service} files`) ?? 1)
    console.log(
      `  ${`files left unknown, where the service ${service} them`.padEnd(44)} ${`${share.toFixed(2)} %`.padStart(9)}`,
    )
  }
  if (['lost', 'doubled', 'wrongly reported', 'stuck'].some((name) => counts.has(name))) process.exitCode = 1
}

const columns = ['sequences', 'lost', 'doubled', 'wrongly reported', 'stuck', 'files', 'unknown', 'runs', 'kills']

type Tally = ReturnType<typeof createTally>

function createTally() {
  const counts = new Map<string, number>()
  return { counts, add: (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by) }
}

async function runOne(scenario: Scenario, workspace: ReturnType<typeof createWorkspace>, tally: Tally): Promise<void> {
  tally.add('sequences')
  try {
    count(await runScenario(scenario, workspace), scenario, tally)
  } catch (error) {
    tally.add('stuck')
    console.log(`  stuck: ${error instanceof Error ? error.stack : error}\n    ${JSON.stringify(scenario)}`)
  }
}

function count(outcome: Outcome, scenario: Scenario, { add }: Tally): void {
  const { violations, claims, struck, files, runs, kills, signals, deletions, requests, refusals } = outcome
  const service = outcome.changesFiles ? 'the service changes files' : 'the service keeps files'
  for (const [name, number] of Object.entries({ files, runs, kills, signals, deletions, requests })) add(name, number)
  add('refused for quota (429) by the service', refusals)
  for (const type of struck) add(`struck by ${type}`)
  for (const { type } of violations.slice(0, 1)) add(type)
  if (violations.length > 0) console.log(`  ${JSON.stringify(violations)}\n    ${JSON.stringify(scenario)}`)
  add(`files, ${service}`, files)
  for (const claim of claims) {
    if (claim.type !== 'unknown') continue
    add('unknown')
    add(`unknown, ${service}`)
    if (process.argv.includes('--unknown')) console.log(`  ${claim.why}\n    ${JSON.stringify(scenario)}`)
  }
}
