import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { sampledRuns } from '../sampling/sample.ts'
import { createWorkspace } from './files.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenario.ts'
import { playStory } from './together/play.ts'
import { stories } from './together/story.ts'
import type { Violation } from './verdict.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

async function expectNoViolation<Case>(
  cases: fc.Arbitrary<Case>,
  play: (one: Case, at: typeof workspace) => Promise<{ readonly violations: readonly Violation[] }>,
  [all, drawn]: readonly [number, number],
): Promise<void> {
  const property = fc.asyncProperty(cases, async (one) => {
    expect((await play(one, workspace)).violations).toEqual([])
  })
  await fc.assert(property, sampledRuns(all, drawn))
}

test(
  'no file is lost, stored twice or wrongly reported, whichever faults strike and whenever the program is killed',
  takesLong(300, '300 scenarios, or as many as RUNS says'),
  () => expectNoViolation(scenarios, runScenario, [300, 30]),
)

test(
  'no file is lost, stored twice, mixed up or wrongly reported by two or three runs at once, whatever strikes them',
  takesLong(300, '100 stories, or as many as RUNS says'),
  () => expectNoViolation(stories, playStory, [100, 15]),
)
