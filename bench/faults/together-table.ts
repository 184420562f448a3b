import fc from 'fast-check'
import { createWorkspace, type Workspace } from '../../test/fuzz/files.ts'
import type { Outcome } from '../../test/fuzz/stage.ts'
import { playStory } from '../../test/fuzz/together/play.ts'
import { type Story, stories } from '../../test/fuzz/together/story.ts'
import type { PlayedRun } from '../../test/fuzz/verdict.ts'
import { createTally, type Tally } from './tally.ts'

export interface TogetherOptions {
  readonly seed: number
  readonly stories: number
}

const failures = ['lost', 'doubled', 'mixed up', 'wrongly reported', 'stuck']
const columns = ['stories', ...failures, 'files', 'unknown', 'runs', 'killed']

/** Plays random stories of two and three runs at once and prints counts of their results, and each that ended badly. */
export async function printTable({ seed, stories: numRuns }: TogetherOptions): Promise<void> {
  const tally = createTally(columns)
  const workspace = createWorkspace()
  try {
    for (const story of fc.sample(stories, { seed, numRuns })) await playOne(story, workspace, tally)
  } finally {
    workspace.close()
  }
  tally.print()
  for (const service of ['keeps', 'changes']) {
    for (const when of ['at once', 'at the end']) {
      const what = `${when}, the service ${service} files`
      tally.printShare(`unknown ${what}`, `unknown ${what}`, `files ${what}`)
    }
  }
  if (tally.has(failures)) process.exitCode = 1
}

async function playOne(story: Story, workspace: Workspace, tally: Tally): Promise<void> {
  tally.add('stories')
  try {
    count(await playStory(story, workspace), story, tally)
  } catch (error) {
    tally.add('stuck')
    console.log(`  stuck: ${error instanceof Error ? error.stack : error}\n    ${JSON.stringify(story)}`)
  }
}

function count({ violations, runs, changesFiles, requests, struck }: Outcome, story: Story, { add }: Tally): void {
  add('requests', requests)
  for (const type of struck) add(`struck by ${type}`)
  for (const type of new Set(violations.map((violation) => violation.type))) add(type)
  if (violations.length > 0) console.log(`  ${JSON.stringify(violations)}\n    ${JSON.stringify(story)}`)
  countFiles(runs, `the service ${changesFiles ? 'changes' : 'keeps'} files`, story, add)
}

function countFiles(runs: readonly PlayedRun[], service: string, story: Story, add: Tally['add']): void {
  for (const [index, { items, records, end }] of runs.entries()) {
    const when = index < story.runs.length ? 'at once' : 'at the end'
    const what = `${when}, ${service}`
    add('runs')
    if (end === 'killed') add('killed')
    add('files', items.length)
    add(`files ${what}`, items.length)
    const unknown = [...records.values()].filter(({ status }) => status === 'unknown')
    add('unknown', unknown.length)
    add(`unknown ${what}`, unknown.length)
    if (!process.argv.includes('--unknown')) continue
    for (const { error } of unknown) console.log(`  ${error?.message}\n    ${JSON.stringify(story)}`)
  }
}
