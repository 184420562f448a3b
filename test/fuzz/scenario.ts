import fc from 'fast-check'
import type { FaultAction } from '../../emulator/index.ts'
import { plotSettings } from './scenario-settings.ts'

/** One file of a plot: files of one size and type look alike to a list, files of one mark besides have one content. */
export interface PlotFile {
  readonly type: 'jpeg' | 'gif'
  readonly size: number
  readonly mark: number
}

/** A request of the API that is struck, counted from 1 over all runs. */
export interface PlotFault {
  readonly nth: number
  readonly action: FaultAction
}

/** Where in a request a run is killed, or told to stop. */
export type BreakPoint = 'before it' | 'at its first byte' | 'in its body' | 'before its answer' | 'once it is reported'

/** Something that ends a run before its time. */
export interface PlotBreak {
  /** The request it comes with, counted from 1 over all runs. */
  readonly nth: number
  readonly at: BreakPoint
  readonly how: 'kill -9' | 'one signal' | 'two signals'
  /** Whether the line of the journal that was being written is torn. */
  readonly torn: boolean
}

/** The service refuses everybody from one request on, for so many requests. */
export interface PlotEpisode {
  readonly nth: number
  readonly requests: number
  readonly what: 'disabled' | 'suspended'
}

/** The machine's clock is set while a request is on its way; a clock that is never set again stays as it is. */
export interface PlotStep {
  /** The request, counted from 1 over all runs. */
  readonly nth: number
  readonly at: 'before its body' | 'in its body' | 'before its answer'
  readonly ms: number
}

/** An upload that another program has made shortly before. */
export interface PlotStranger extends Pick<PlotFile, 'type' | 'size'> {
  readonly secondsAgo: number
}

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

/** All that is left to chance: a service, files, how they are sent, and what goes wrong meanwhile. */
export const plots = fc.record({
  settings: plotSettings,
  limited: fc.boolean(),
  /** How the client paces itself: by a ledger of all processes, by one of its own, or by what it is told alone. */
  pacing: fc.constantFrom('shared' as const, 'memory' as const, 'none' as const),
  startAt: fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
    fc.integer({ min: Date.UTC(2026, 9, 24, 23, 59), max: Date.UTC(2026, 9, 25, 1, 1) }),
  ),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -100_000_000, max: 100_000_000 })),
  /** Whether the client's clock has a monotonic time. */
  hasMonotonic: fc.boolean(),
  steps: fc.array(
    fc.record<PlotStep>({
      nth: fc.oneof(fc.integer({ min: 1, max: 4 }), nth),
      at: fc.constantFrom('before its body', 'in its body', 'before its answer'),
      ms: fc
        .tuple(fc.constantFrom(-1, 1), fc.constantFrom(500, 2_000, 5_000, 600_000, 86_400_000))
        .map(([direction, ms]) => direction * ms),
    }),
    { maxLength: 3 },
  ),
  /** Whether the service's answers have a Date. */
  tellsDate: fc.boolean(),
  strangers: fc.array(
    fc.record<PlotStranger>({
      type: fc.constantFrom('jpeg', 'gif'),
      size: fc.constantFrom(100, 101, 150, 70_000),
      secondsAgo: fc.integer({ min: 10, max: 600 }),
    }),
    { maxLength: 2 },
  ),
  files: fc.array(
    fc.record<PlotFile>({
      type: fc.constantFrom('jpeg', 'gif'),
      size: fc.constantFrom(100, 101, 150, 70_000),
      mark: fc.integer({ min: 1, max: 12 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  jobs: fc.integer({ min: 1, max: 4 }),
  retries: fc.integer({ min: 0, max: 5 }),
  faults: fc.uniqueArray(fc.record<PlotFault>({ nth, action }), { selector: (fault) => fault.nth, maxLength: 16 }),
  breaks: fc.uniqueArray(
    fc.record<PlotBreak>({
      nth,
      at: fc.constantFrom('before it', 'at its first byte', 'in its body', 'before its answer', 'once it is reported'),
      how: fc.constantFrom('kill -9', 'kill -9', 'one signal', 'two signals'),
      torn: fc.boolean(),
    }),
    { selector: (planned) => planned.nth, maxLength: 4 },
  ),
  episodes: fc.array(
    fc.record<PlotEpisode>({
      nth,
      requests: fc.integer({ min: 1, max: 8 }),
      what: fc.constantFrom('disabled', 'suspended'),
    }),
    { maxLength: 1 },
  ),
  /** Between runs: how long, and which of the files stored by then is deleted, if any. */
  pauses: fc.array(
    fc.record({
      ms: fc.constantFrom(0, 100, 1_000, 6_000, 100_000),
      deletes: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    }),
    { maxLength: 4 },
  ),
})

export type Plot = typeof plots extends fc.Arbitrary<infer Value> ? Value : never
