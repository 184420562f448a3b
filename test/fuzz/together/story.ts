import fc from 'fast-check'
import type { FaultAction } from '../../../emulator/index.ts'
import {
  breakPoint,
  cacheBefore,
  fault,
  fewOrAlike,
  mostly,
  oneOf,
  type ScenarioBreak,
  type ScenarioFile,
  scenarioSettings,
} from '../scenario.ts'

const waits = oneOf(0, 3, 40, 700, 2_500, 6_000)

/** How long one request of a run takes, in milliseconds; a run goes through its list again and again. */
const pace = fc.record({
  /** Before it reaches the service. */
  before: waits as fc.Arbitrary<number>,
  /** Before the last part of its body. */
  within: waits as fc.Arbitrary<number>,
  /** Before its answer arrives. */
  after: waits as fc.Arbitrary<number>,
})

/** Most stories have few requests. */
const nth: fc.Arbitrary<number> = oneOf(1, 1, 2, 2, 3, 4, 6)

/** What stands between program and service answers, and the service has not got the request. */
const foreignAnswer: fc.Arbitrary<FaultAction> = fc.oneof(
  fault('status', {
    status: oneOf(200, 201, 503),
    body: oneOf<(string | object)[]>('', { ok: true }, '{"data":[', '<html><body>Sign in</body></html>'),
  }),
  fault('html_error', { status: oneOf(200, 403, 500, 502, 503, 504) }),
  fault('status', { status: oneOf(401, 403, 408, 413, 422, 429, 500, 503) }),
  fault('reset_before'),
  fault('reset_after_body_bytes', { bytes: oneOf(0, 300, 66_000) }),
)

/** The service has executed the request, or does it later. */
const spoiltAnswer: fc.Arbitrary<FaultAction> = fc.oneof(
  fault('commit_then_drop'),
  fault('delay', { ms: oneOf(300, 4_000, 50_000) }),
  fault('truncate_response', { bytes: oneOf(0, 1, 60) }),
  fault('malformed_json'),
)

/** One `fh upload` among several at once. */
const storyRun = fc.record({
  /** Milliseconds after the first. */
  startsAt: oneOf(0, 0, 3, 40, 700, 2_500) as fc.Arbitrary<number>,
  /** Indices of the story's files, taken as often as there are. */
  files: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }),
  from: mostly('path', 6, oneOf('stdin', 'url')),
  force: mostly<boolean, boolean>(false, 5, fc.constant(true)),
  journal: mostly<boolean, boolean>(true, 5, fc.constant(false)),
  jobs: fc.integer({ min: 1, max: 3 }),
  retries: fc.integer({ min: 0, max: 4 }),
  paces: fc.array(pace, { minLength: 1, maxLength: 3 }),
  breaks: fc.uniqueArray(
    fc.record<ScenarioBreak>({
      nth,
      at: breakPoint,
      how: fc.oneof(
        fc.constant('kill -9'),
        oneOf('one signal', 'two signals'),
        fc.record({ ms: oneOf(2_000, 30_000, 240_000), isKilledThen: fc.boolean() }),
      ),
      torn: fc.constant(false),
    }),
    { selector: (planned) => planned.nth, maxLength: 2 },
  ),
})

/** Two or three runs at once on one state folder, and all that may go wrong. */
export const stories = fc.record({
  settings: scenarioSettings,
  /** Whether the service may change files as its settings say: then bytes prove little, and most outcomes are unknown. */
  changesFiles: mostly<boolean, boolean>(false, 9, fc.constant(true)),
  limited: fc.boolean(),
  startAt: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
  skewMs: mostly<number, number>(0, 1, fc.integer({ min: -100_000_000, max: 100_000_000 })),
  /** Files of one size and type, above all. */
  files: fewOrAlike(
    fc.array(
      fc.record<ScenarioFile>({
        type: mostly('gif', 8, fc.constant('jpeg')),
        size: mostly(100, 8, oneOf(101, 70_000)),
        mark: fc.integer({ min: 1, max: 4 }),
      }),
      { minLength: 2, maxLength: 4 },
    ),
    8,
  ),
  cache: cacheBefore,
  /** Uploads of long ago that this machine knows. */
  uploadsBefore: mostly<number, number>(0, 2, fc.constant(200)),
  runs: fc.array(storyRun, { minLength: 2, maxLength: 3 }),
  /** At the nth request of a kind, counted from 1 over all runs. */
  faults: fc.uniqueArray(
    fc.record({
      on: oneOf('upload', 'upload', 'list', 'any'),
      nth,
      action: fc.oneof(foreignAnswer, spoiltAnswer),
    }),
    { selector: (planned) => `${planned.on} ${planned.nth}`, minLength: 1, maxLength: 6 },
  ),
  /** Before the last run. */
  pauseMs: oneOf(0, 1_000, 6_000, 100_000) as fc.Arbitrary<number>,
})

export type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never
export type StoryRun = Story['runs'][number]
export type StoryFault = Story['faults'][number]
export type Pace = StoryRun['paces'][number]
