import { afterAll, expect, test } from 'vitest'
import { createWorkspace } from './files.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario, ScenarioFile } from './scenario.ts'
import { playStory } from './together/play.ts'
import type { Pace, Story, StoryRun } from './together/story.ts'

const workspace = createWorkspace()
afterAll(() => workspace.close())

const usual: Omit<Story, 'changesFiles' | 'runs' | 'pauseMs'> = {
  settings: { dialect: 'spec', changes: { thumbnail: 'never' } },
  limited: false,
  startAt: Date.UTC(2026, 0, 1),
  skewMs: 0,
  files: [],
  cache: undefined,
  uploadsBefore: 0,
  faults: [],
}
const once = { pacing: 'none', hasMonotonic: true, sendsDate: true, jobs: 1, retries: 0 } as const
const untroubled = { clockSteps: [], foreignUploads: [], faults: [], breaks: [], outages: [], pauses: [] }
const plain: Scenario = { ...usual, ...once, ...untroubled }

const gif = (mark: number, size = 100): ScenarioFile => ({ type: 'gif', size, mark })

/** Scenarios that failed once, shrunk. */
const regressions: Readonly<Record<string, Partial<Scenario>>> = {
  'what a killed run began is looked for where it was, though its clock was set by less than a second': {
    files: [{ type: 'jpeg', size: 100, mark: 1 }],
    pacing: 'shared',
    startAt: 1_785_144_893_900,
    clockSteps: [-2_000, -500, 2_000].map((ms) => ({ nth: 1, at: 'before its body', ms })),
    breaks: [{ nth: 1, at: 'before its answer', how: 'kill -9', torn: false }],
    pauses: [{ ms: 100, deletes: undefined }],
  },
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
  const { violations, runs } = await runScenario({ ...plain, files: [gif(1)], faults }, workspace)
  expect([violations, runs[0]?.records.get(0)]).toMatchObject([[], { upload: {} }])
})

const pace = (part: Partial<Pace> = {}): Pace => ({ before: 0, within: 0, after: 0, ...part })
const run = (files: number[], more: Partial<StoryRun> = {}): StoryRun => ({
  startsAt: 0,
  files,
  from: 'path',
  force: false,
  journal: true,
  jobs: 1,
  retries: 3,
  paces: [{ before: 40, within: 40, after: 40 }],
  breaks: [],
  ...more,
})
const page = { type: 'html_error', status: 503 } as const
const cut = { type: 'commit_then_drop' } as const

/** Stories of two and three runs that once ended badly, shrunk. */
const stories: Readonly<Record<string, Partial<Story>>> = {
  'the upload of another run is not taken for one that a page refused': {
    files: [gif(1), gif(2)],
    runs: [run([0]), run([1])],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
  'one content by a path and by a URL, one stored without an answer, is not given to both': {
    files: [gif(1), { type: 'jpeg', size: 100, mark: 1 }],
    runs: [
      run([1], { force: true, retries: 0, paces: [pace(), pace({ after: 3 })] }),
      run([0, 1], { from: 'url', jobs: 2, retries: 0, paces: [pace({ after: 6_000 }), pace({ before: 700 })] }),
    ],
    faults: [
      { on: 'upload', nth: 1, action: { type: 'reset_after_body_bytes', bytes: 300 } },
      { on: 'upload', nth: 2, action: { type: 'truncate_response', bytes: 0 } },
    ],
  },
  'three files by two runs, the first answer of each lost': {
    files: [gif(1), gif(2), gif(3)],
    runs: [run([0, 1, 2], { jobs: 2 }), run([0, 1, 2], { jobs: 2 })],
    faults: [
      { on: 'upload', nth: 1, action: cut },
      { on: 'upload', nth: 3, action: cut },
    ],
  },
  'a run that is killed and run again while another uploads': {
    files: [gif(1), gif(2)],
    runs: [
      run([0], { breaks: [{ nth: 1, at: 'in its body', how: 'kill -9', torn: false }] }),
      run([1], { startsAt: 40, paces: [{ before: 40, within: 40, after: 6_000 }] }),
      run([0], { startsAt: 700 }),
    ],
  },
  'two --force of one content, one refused by a page': {
    files: [gif(1)],
    runs: [run([0], { force: true }), run([0], { force: true })],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
  'of two that send one content and lose both answers, one takes what the other has sent': {
    settings: { dialect: 'spec', changes: { thumbnail: 'never', visible_after_ms: 3_997 } },
    files: [gif(1)],
    runs: [
      run([0], { startsAt: 2_500, force: true, paces: [pace({ within: 2_500 })] }),
      run([0], { paces: [pace({ within: 6_000, after: 40 }), pace({ before: 6_000, within: 6_000, after: 700 })] }),
    ],
    faults: [
      { on: 'upload', nth: 1, action: cut },
      { on: 'upload', nth: 2, action: cut },
    ],
  },
  'two look for what a killed run has left, and one sends it while the other still looks': {
    files: [gif(1)],
    runs: [
      run([0], { breaks: [{ nth: 1, at: 'in its body', how: 'kill -9', torn: false }] }),
      run([0], { startsAt: 700, paces: [pace(), pace({ before: 6_900 })] }),
      run([0], { startsAt: 700, paces: [pace(), pace(), pace(), pace(), pace({ before: 12_000 })] }),
    ],
    faults: [{ on: 'upload', nth: 2, action: cut }],
  },
  'a run without a journal takes no upload of another run for its own': {
    files: [gif(1), gif(2)],
    runs: [run([0]), run([1], { startsAt: 40, journal: false })],
    faults: [{ on: 'upload', nth: 2, action: page }],
  },
  'one killed once stored, the other refused by a page': {
    files: [gif(1), gif(2)],
    runs: [run([0]), run([1], { breaks: [{ nth: 1, at: 'before its answer', how: 'kill -9', torn: false }] })],
    faults: [{ on: 'upload', nth: 1, action: page }],
  },
}

test.each(Object.entries(stories))('%s', async (_, outcome) => {
  const { violations } = await playStory({ ...usual, changesFiles: false, runs: [], pauseMs: 0, ...outcome }, workspace)
  expect(violations).toEqual([])
})
