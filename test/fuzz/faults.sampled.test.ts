import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { sampledRuns } from '../sampling/sample.ts'
import { createWorkspace } from './files.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenario.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

test(
  'no file is lost, stored twice or wrongly reported, whichever faults strike and whenever the program is killed',
  takesLong(300, '300 scenarios, or as many as RUNS says'),
  async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const { violations } = await runScenario(scenario, workspace)
        expect(violations).toEqual([])
      }),
      sampledRuns(300, 30),
    )
  },
)
