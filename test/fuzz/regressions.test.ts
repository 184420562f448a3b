import { afterAll, expect, test } from 'vitest'
import { createWorkspace } from './files.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario, ScenarioFile } from './scenario.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

const plain: Scenario = {
  settings: { dialect: 'spec', changes: { thumbnail: 'never' } },
  limited: false,
  pacing: 'none',
  startAt: Date.UTC(2026, 0, 1),
  skewMs: 0,
  hasMonotonic: true,
  clockSteps: [],
  sendsDate: true,
  foreignUploads: [],
  files: [],
  jobs: 1,
  retries: 0,
  faults: [],
  breaks: [],
  outages: [],
  pauses: [],
}

const gif = (mark: number, size = 100): ScenarioFile => ({ type: 'gif', size, mark })

/** Scenarios that failed once, shrunk. */
const regressions: Readonly<Record<string, Partial<Scenario>>> = {
  'the next run knows a deletion that was reported right before the program was killed': {
    files: [gif(1), gif(2, 101), gif(3, 150)],
    breaks: [
      { nth: 3, at: 'before its answer', how: 'two signals', torn: false },
      { nth: 4, at: 'once it is reported', how: 'kill -9', torn: false },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'a deletion answered with a success that does not confirm it is sent again': {
    files: [gif(1), gif(2, 101)],
    faults: [
      { nth: 2, action: { type: 'status', status: 422 } },
      { nth: 3, action: { type: 'status', status: 201 } },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'an upload that an earlier run stored in the same second is not taken for a file whose answer was lost': {
    files: [{ type: 'jpeg', size: 70_000, mark: 4 }, gif(8), gif(5)],
    retries: 3,
    faults: [
      { nth: 3, action: { type: 'status', status: 401 } },
      { nth: 6, action: { type: 'html_error', status: 502 } },
    ],
    pauses: [{ ms: 0, deletes: 0 }],
  },
  'an upload known to be another file is no proof that the service stores files unchanged': {
    settings: { dialect: 'spec', changes: { thumbnail: 'never', reencode: true } },
    files: [gif(3, 70_000), gif(10, 108), gif(10)],
    jobs: 2,
    retries: 1,
    breaks: [{ nth: 1, at: 'before its answer', how: 'two signals', torn: true }],
    pauses: [
      { ms: 6_000, deletes: undefined },
      { ms: 100_000, deletes: undefined },
    ],
  },
}

test.each(Object.entries(regressions))('%s', async (_, outcome) => {
  const { violations } = await runScenario({ ...plain, ...outcome }, workspace)
  expect(violations).toEqual([])
})

test('a complete list that cannot be parsed is read again, and then shows what became of a file', async () => {
  const faults: Scenario['faults'] = [
    { nth: 1, action: { type: 'commit_then_drop' } },
    { nth: 2, action: { type: 'malformed_json' } },
  ]
  const outcome = await runScenario({ ...plain, files: [gif(1)], faults }, workspace)
  expect(outcome).toMatchObject({ violations: [], runs: 1, reports: [{ upload: {} }] })
})
