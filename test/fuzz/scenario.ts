import fc from 'fast-check'
import type { Dialect, FaultAction, SettingChanges } from '../../emulator/index.ts'

/** A file: the list cannot tell files of one size and type apart; with the same mark, they have the same content. */
export interface ScenarioFile {
  readonly type: 'jpeg' | 'gif'
  readonly size: number
  readonly mark: number
}

/** A fault at the nth API request, counted from 1 over all runs. */
export interface ScenarioFault {
  readonly nth: number
  readonly action: FaultAction
}

/** At which point of a request a run is killed or gets a signal. */
export type BreakPoint = 'before it' | 'at its first byte' | 'in its body' | 'before its answer' | 'once it is reported'

/** A kill or a signal. */
export interface ScenarioBreak {
  /** Its request, counted from 1 over all runs. */
  readonly nth: number
  readonly at: BreakPoint
  readonly how: 'kill -9' | 'one signal' | 'two signals' | StandStill
  /** Whether the journal line being written is cut in half. */
  readonly torn: boolean
}

/** SIGSTOP: the run does nothing for a while, and goes on or is killed. */
export interface StandStill {
  readonly ms: number
  readonly isKilledThen: boolean
}

/** From the nth request on, the service refuses this many requests. */
export interface Outage {
  readonly nth: number
  readonly requests: number
  readonly what: 'disabled' | 'suspended'
}

/** The machine's clock is set by `ms` during a request. */
export interface ClockStep {
  /** The request, counted from 1 over all runs. */
  readonly nth: number
  readonly at: 'before its body' | 'in its body' | 'before its answer'
  readonly ms: number
}

/** An upload that another program made shortly before. */
export interface ForeignUpload extends Pick<ScenarioFile, 'type' | 'size'> {
  readonly secondsAgo: number
}

/** How the service is set: a dialect, and changes to it. */
interface ScenarioSettings {
  readonly dialect: Dialect
  readonly changes: SettingChanges
}

/** As `fc.constantFrom`, with the values as types. */
export const oneOf = <const Values extends readonly unknown[]>(...values: Values): fc.Arbitrary<Values[number]> =>
  fc.constantFrom(...values)

const settingChanges = fc.record(
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

export const scenarioSettings: fc.Arbitrary<ScenarioSettings> = fc.record({
  dialect: oneOf('spec', 'laravel', 'hostile'),
  // Thumbnails would take longer than everything else.
  changes: settingChanges.map((changed) => ({ ...changed, thumbnail: 'never' as const })),
})

const action: fc.Arbitrary<FaultAction> = fc.oneof(
  fc.record({
    type: fc.constant('status' as const),
    status: fc.constantFrom(200, 201, 204, 401, 403, 408, 413, 422, 429, 499, 500, 502, 503, 504),
  }),
  fc.record({ type: fc.constant('delay' as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
  fc.constant({ type: 'reset_before' as const }),
  fc.record({ type: fc.constant('reset_after_body_bytes' as const), bytes: fc.constantFrom(0, 50, 300, 66_000, 1e6) }),
  fc.constant({ type: 'commit_then_drop' as const }),
  fc.record({ type: fc.constant('truncate_response' as const), bytes: fc.constantFrom(0, 1, 60) }),
  fc.constant({ type: 'malformed_json' as const }),
  fc.record({ type: fc.constant('wrong_content_length' as const), bytes: fc.constantFrom(-20, -1, 1, 50) }),
  fc.record({ type: fc.constant('html_error' as const), status: fc.constantFrom(200, 403, 500, 502, 503, 504) }),
  fc.record({ type: fc.constant('slow_body' as const), ms: fc.constantFrom(1, 50), bytes: fc.constantFrom(50, 200) }),
  fc.record({
    type: fc.constant('early_response' as const),
    bytes: fc.constantFrom(0, 100, 66_000),
    status: fc.constantFrom(401, 413, 429, 500, 503),
  }),
)

const nth = fc.integer({ min: 1, max: 24 })

/** Everything random: the service, the files, how they are sent, and what goes wrong. */
export const scenarios = fc.record({
  settings: scenarioSettings,
  limited: fc.boolean(),
  /** The client's ledger: shared by all processes, its own, or none. */
  pacing: fc.constantFrom('shared' as const, 'memory' as const, 'none' as const),
  startAt: fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
    fc.integer({ min: Date.UTC(2026, 9, 24, 23, 59), max: Date.UTC(2026, 9, 25, 1, 1) }),
  ),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -100_000_000, max: 100_000_000 })),
  /** Whether the client's clock has a monotonic time. */
  hasMonotonic: fc.boolean(),
  clockSteps: fc.array(
    fc.record<ClockStep>({
      nth: fc.oneof(fc.integer({ min: 1, max: 4 }), nth),
      at: fc.constantFrom('before its body', 'in its body', 'before its answer'),
      ms: fc
        .tuple(fc.constantFrom(-1, 1), fc.constantFrom(500, 2_000, 5_000, 600_000, 86_400_000))
        .map(([direction, ms]) => direction * ms),
    }),
    { maxLength: 3 },
  ),
  /** Whether the service's answers have a Date. */
  sendsDate: fc.boolean(),
  foreignUploads: fc.array(
    fc.record<ForeignUpload>({
      type: fc.constantFrom('jpeg', 'gif'),
      size: fc.constantFrom(100, 101, 150, 70_000),
      secondsAgo: fc.integer({ min: 10, max: 600 }),
    }),
    { maxLength: 2 },
  ),
  files: fc.array(
    fc.record<ScenarioFile>({
      type: fc.constantFrom('jpeg', 'gif'),
      size: fc.constantFrom(100, 101, 150, 70_000),
      mark: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  jobs: fc.integer({ min: 1, max: 4 }),
  retries: fc.integer({ min: 0, max: 5 }),
  faults: fc.uniqueArray(fc.record<ScenarioFault>({ nth, action }), { selector: (fault) => fault.nth, maxLength: 16 }),
  breaks: fc.uniqueArray(
    fc.record<ScenarioBreak>({
      nth,
      at: fc.constantFrom('before it', 'at its first byte', 'in its body', 'before its answer', 'once it is reported'),
      how: fc.constantFrom('kill -9', 'kill -9', 'one signal', 'two signals'),
      torn: fc.boolean(),
    }),
    { selector: (planned) => planned.nth, maxLength: 4 },
  ),
  outages: fc.array(
    fc.record<Outage>({
      nth,
      requests: fc.integer({ min: 1, max: 8 }),
      what: fc.constantFrom('disabled', 'suspended'),
    }),
    { maxLength: 1 },
  ),
  /** Between runs: how long, and which stored file is deleted, if any. */
  pauses: fc.array(
    fc.record({
      ms: fc.constantFrom(0, 100, 1_000, 6_000, 100_000),
      deletes: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    }),
    { maxLength: 4 },
  ),
})

export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never
