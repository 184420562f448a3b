import fc from 'fast-check'
import type { Dialect, FaultAction, SettingChanges } from '../../emulator/index.ts'

/** A file: the list cannot tell files of one size and type apart; with the same mark, they have the same content. */
export interface ScenarioFile {
  readonly type: 'jpeg' | 'gif'
  readonly size: number
  readonly mark: number
}

/** A kill or a signal. */
export interface ScenarioBreak {
  /** Its request, counted from 1: over all runs, or in a story by those of its run. */
  readonly nth: number
  readonly at: (typeof breakPoints)[number]
  readonly how: 'kill -9' | 'one signal' | 'two signals' | StandStill
  /** Whether the run is killed inside the transaction that would tell of it. */
  readonly torn: boolean
}

/** SIGSTOP: the run does nothing for a while, and goes on or is killed. */
export interface StandStill {
  readonly ms: number
  readonly isKilledThen: boolean
}

/** As `fc.constantFrom`, with the values as types. */
export const oneOf = <const Values extends readonly unknown[]>(...values: Values): fc.Arbitrary<Values[number]> =>
  fc.constantFrom(...values)

/** The value, or in one of so many cases another. */
export const mostly = <const Value, Other>(value: Value, weight: number, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, other)

const breakPoints = [
  'before it',
  'at its first byte',
  'in its body',
  'before its answer',
  'once it is reported',
] as const
/** At which point of a request a run is killed or gets a signal. */
export const breakPoint = oneOf(...breakPoints)

const settingChanges: fc.Arbitrary<SettingChanges> = fc.record(
  {
    visible_after_ms: fc.integer({ min: 0, max: 4_000 }),
    reencode: fc.boolean(),
    duplicate_content: oneOf('new_slug', 'same_slug'),
    created_at_format: oneOf('seconds', 'micros', 'compact_offset', 'zulu'),
    timezone: oneOf('Europe/Bucharest', 'UTC', 'Pacific/Chatham', 'America/St_Johns'),
    page_size: oneOf(1, 2, 3, 50),
    charge_rejected: fc.boolean(),
    charge_failed: fc.boolean(),
    quota_windows: oneOf('fixed', 'aligned', 'sliding', 'sliding_counter', 'token_bucket'),
    quota_admission: oneOf('reject_over', 'overshoot', 'charge_first'),
    rate_headers: oneOf('limited', 'success', 'all'),
    retry_after: oneOf('seconds', 'http_date', 'none', 'zero'),
    unavailable_retry_after: oneOf(1, 60, 'http_date', 'none'),
    unavailable_body: oneOf('error', 'message', 'html'),
    soft_delay: oneOf('linear', 'fixed', 'off'),
  },
  { requiredKeys: [] },
)

/** How the service is set: a dialect, and changes to it. Thumbnails would take longer than everything else. */
export const scenarioSettings = fc.record({
  dialect: oneOf<Dialect[]>('spec', 'laravel', 'hostile'),
  changes: settingChanges.map((changed): SettingChanges => ({ ...changed, thumbnail: 'never' })),
})

/** A fault of a type, with properties drawn from these. */
export function fault<Type extends FaultAction['type'], Rest extends object = object>(
  type: Type,
  rest?: { [Name in keyof Rest]: fc.Arbitrary<Rest[Name]> },
): fc.Arbitrary<{ readonly type: Type } & Rest> {
  return fc.record((rest ?? {}) as NonNullable<typeof rest>).map((drawn) => ({ type, ...(drawn as Rest) }))
}

const action: fc.Arbitrary<FaultAction> = fc.oneof(
  fault('status', { status: oneOf(200, 201, 204, 401, 403, 408, 413, 422, 429, 499, 500, 502, 503, 504) }),
  fault('delay', { ms: fc.integer({ min: 0, max: 90_000 }) }),
  fault('reset_before'),
  fault('reset_after_body_bytes', { bytes: oneOf(0, 50, 300, 66_000, 1e6) }),
  fault('commit_then_drop'),
  fault('truncate_response', { bytes: oneOf(0, 1, 60) }),
  fault('malformed_json'),
  fault('wrong_content_length', { bytes: oneOf(-20, -1, 1, 50) }),
  fault('html_error', { status: oneOf(200, 403, 500, 502, 503, 504) }),
  fault('slow_body', { ms: oneOf(1, 50), bytes: oneOf(50, 200) }),
  fault('early_response', { bytes: oneOf(0, 100, 66_000), status: oneOf(401, 413, 429, 500, 503) }),
)

const nth = fc.integer({ min: 1, max: 24 })
const type = oneOf('jpeg', 'gif')
const size = oneOf(100, 101, 150, 70_000)
const mark = fc.integer({ min: 1, max: 12 })

/** A cache before the service: whether it asks it where a request says `no-cache`, and how long it keeps an answer. */
export const cacheBefore = mostly(
  undefined,
  2,
  fc.record({ obeys: fc.boolean(), lastsMs: oneOf(2_000, 60_000, 3_600_000) }),
)

/** Some files, or many of one size and type. */
export const fewOrAlike = (few: fc.Arbitrary<ScenarioFile[]>, most: number) => {
  const alike = fc.record<ScenarioFile>({ type: fc.constant('gif'), size: fc.constant(100), mark })
  return fc.oneof({ weight: 2, arbitrary: few }, fc.array(alike, { minLength: 5, maxLength: most }))
}

/** Everything random: the service, the files, how they are sent, and what goes wrong. */
export const scenarios = fc.record({
  settings: scenarioSettings,
  limited: fc.boolean(),
  /** The client's ledger: shared by all processes, its own, or none. */
  pacing: oneOf('shared', 'memory', 'none'),
  startAt: fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
    fc.integer({ min: Date.UTC(2026, 9, 24, 23, 59), max: Date.UTC(2026, 9, 25, 1, 1) }),
  ),
  skewMs: mostly(0, 1, fc.integer({ min: -100_000_000, max: 100_000_000 })),
  /** Whether the client's clock has a monotonic time. */
  hasMonotonic: fc.boolean(),
  /** The machine's clock is set by `ms` during the nth request, counted from 1 over all runs. */
  clockSteps: fc.array(
    fc.record({
      nth: fc.oneof(fc.integer({ min: 1, max: 4 }), nth),
      at: oneOf('before its body', 'in its body', 'before its answer'),
      ms: fc.tuple(oneOf(-1, 1), oneOf(500, 2_000, 5_000, 600_000, 86_400_000)).map(([one, ms]) => one * ms),
    }),
    { maxLength: 3 },
  ),
  /** Whether the service's answers have a Date. */
  sendsDate: fc.boolean(),
  /** Uploads that another program made shortly before. */
  foreignUploads: fc.array(fc.record({ type, size, secondsAgo: fc.integer({ min: 10, max: 600 }) }), { maxLength: 2 }),
  cache: cacheBefore,
  files: fewOrAlike(fc.array(fc.record<ScenarioFile>({ type, size, mark }), { minLength: 1, maxLength: 6 }), 10),
  jobs: fc.integer({ min: 1, max: 4 }),
  retries: fc.integer({ min: 0, max: 5 }),
  /** At the nth API request, counted from 1 over all runs. */
  faults: fc.uniqueArray(fc.record({ nth, action }), { selector: (planned) => planned.nth, maxLength: 16 }),
  breaks: fc.uniqueArray(
    fc.record<ScenarioBreak>({
      nth,
      at: breakPoint,
      how: oneOf('kill -9', 'kill -9', 'one signal', 'two signals'),
      torn: fc.boolean(),
    }),
    { selector: (planned) => planned.nth, maxLength: 4 },
  ),
  /** From the nth request on, the service refuses this many requests. */
  outages: fc.array(
    fc.record({ nth, requests: fc.integer({ min: 1, max: 8 }), what: oneOf('disabled', 'suspended') }),
    { maxLength: 1 },
  ),
  /** Between runs: how long, and which stored file is deleted, if any. */
  pauses: fc.array(
    fc.record({
      ms: oneOf(0, 100, 1_000, 6_000, 100_000),
      deletes: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    }),
    { maxLength: 4 },
  ),
})

export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never
export type ClockStep = Scenario['clockSteps'][number]
