import fc from 'fast-check'
import type { FaultAction } from '../../../emulator/index.ts'
import { oneOf, type ScenarioBreak, type ScenarioFile, scenarioSettings } from '../scenario.ts'

/** How long one request of a run takes, in milliseconds; a run goes through its list again and again. */
export interface Pace {
  /** Before it reaches the service. */
  readonly before: number
  /** Before the last part of its body. */
  readonly within: number
  /** Before its answer arrives. */
  readonly after: number
}

/** One `fh upload` among several at once. */
export interface StoryRun {
  /** Milliseconds after the first. */
  readonly startsAt: number
  /** Indices of the story's files, taken as often as there are. */
  readonly files: readonly number[]
  readonly from: 'path' | 'stdin' | 'url'
  readonly force: boolean
  readonly journal: boolean
  readonly jobs: number
  readonly retries: number
  readonly paces: readonly Pace[]
  /** Counted by the requests of this run, from 1. */
  readonly breaks: readonly ScenarioBreak[]
}

/** A fault at the nth request of a kind, counted from 1 over all runs. */
export interface StoryFault {
  readonly on: 'upload' | 'list' | 'any'
  readonly nth: number
  readonly action: FaultAction
}

const waits = oneOf(0, 3, 40, 700, 2_500, 6_000)
/** Most stories have few requests. */
const nth = oneOf(1, 1, 2, 2, 3, 4, 6)

/** What stands between program and service answers, and the service has not got the request. */
const foreignAnswer: fc.Arbitrary<FaultAction> = fc.oneof(
  fc.record({
    type: fc.constant('status' as const),
    status: oneOf(200, 201, 503),
    body: oneOf<(string | object)[]>('', { ok: true }, '{"data":[', '<html><body>Sign in</body></html>'),
  }),
  fc.record({ type: fc.constant('html_error' as const), status: oneOf(200, 403, 500, 502, 503, 504) }),
  fc.record({ type: fc.constant('status' as const), status: oneOf(401, 403, 408, 413, 422, 429, 500, 503) }),
  fc.constant({ type: 'reset_before' as const }),
  fc.record({ type: fc.constant('reset_after_body_bytes' as const), bytes: oneOf(0, 300, 66_000) }),
)

/** The service has executed the request, or does it later. */
const spoiltAnswer: fc.Arbitrary<FaultAction> = fc.oneof(
  fc.constant({ type: 'commit_then_drop' as const }),
  fc.record({ type: fc.constant('delay' as const), ms: oneOf(300, 4_000, 50_000) }),
  fc.record({ type: fc.constant('truncate_response' as const), bytes: oneOf(0, 1, 60) }),
  fc.constant({ type: 'malformed_json' as const }),
)

const storyBreak = fc.record<ScenarioBreak>({
  nth,
  at: oneOf('before it', 'at its first byte', 'in its body', 'before its answer', 'once it is reported'),
  how: fc.oneof(
    fc.constant('kill -9' as const),
    oneOf('one signal', 'two signals'),
    fc.record({ ms: oneOf(2_000, 30_000, 240_000), isKilledThen: fc.boolean() }),
  ),
  torn: fc.constant(false),
})

const storyRun = fc.record<StoryRun>({
  startsAt: oneOf(0, 0, 3, 40, 700, 2_500),
  files: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
  from: fc.oneof({ weight: 6, arbitrary: fc.constant('path' as const) }, oneOf('stdin', 'url')),
  force: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  journal: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  jobs: fc.integer({ min: 1, max: 3 }),
  retries: fc.integer({ min: 0, max: 4 }),
  paces: fc.array(fc.record<Pace>({ before: waits, within: waits, after: waits }), { minLength: 1, maxLength: 3 }),
  breaks: fc.uniqueArray(storyBreak, { selector: (planned) => planned.nth, maxLength: 2 }),
})

/** Two or three runs at once on one state folder, and all that may go wrong. */
export const stories = fc.record({
  settings: scenarioSettings,
  /** Whether the service may change files as its settings say: then bytes prove little, and most outcomes are unknown. */
  changesFiles: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  limited: fc.boolean(),
  startAt: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -100_000_000, max: 100_000_000 })),
  /** Files of one size and type, above all. */
  files: fc.array(
    fc.record<ScenarioFile>({
      type: fc.oneof({ weight: 8, arbitrary: fc.constant('gif' as const) }, fc.constant('jpeg' as const)),
      size: fc.oneof({ weight: 8, arbitrary: fc.constant(100) }, oneOf(101, 70_000)),
      mark: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: 2, maxLength: 4 },
  ),
  runs: fc.array(storyRun, { minLength: 2, maxLength: 3 }),
  faults: fc.uniqueArray(
    fc.record<StoryFault>({
      on: oneOf('upload', 'upload', 'list', 'any'),
      nth,
      action: fc.oneof(foreignAnswer, spoiltAnswer),
    }),
    { selector: (fault) => `${fault.on} ${fault.nth}`, minLength: 1, maxLength: 6 },
  ),
  /** Before the last run. */
  pauseMs: oneOf(0, 1_000, 6_000, 100_000),
})

export type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never
