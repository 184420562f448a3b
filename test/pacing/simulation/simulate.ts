// Runs a strategy against a simulated service, in virtual time:
//
//   const ours = paced('ours', ({ clock, state }) => new Pacer({ clock, ledger: openLedger(state, clock) }))
//   const run = await simulate(ours, { seed: 1, files: 100, model: { kinds: allOf('sliding_counter') } })
//   console.table([run])
//
// `paced` is in ours.ts, `openLedger` in strategy.ts, `allOf` and all that a service may differ in in model.ts. In a test
// file: npx vitest run --project library test/pacing/<name>.test.ts
import { createEventClock, skewed } from './event-clock.ts'
import { type ServiceModel, usualModel } from './model.ts'
import { optimumMs } from './optimum.ts'
import { beStranger, type Stranger } from './other-client.ts'
import { type Division, runProcesses } from './processes.ts'
import { between, createRandom } from './random.ts'
import { createService } from './service.ts'
import type { Strategy } from './strategy.ts'

export interface Scenario extends Division {
  readonly seed: number
  /** Default: {@link usualModel}. */
  readonly model?: Partial<ServiceModel>
  readonly stranger?: Stranger
  /** By how much the client's clock is wrong; default: up to half a second, either way. */
  readonly clockErrorMs?: number
  /** By which share of the time that passes it goes wrong further; default 0. */
  readonly clockDrift?: number
  /** Gives up at this multiple of the optimum, and two hours; default 3. */
  readonly patience?: number
}

export interface Run {
  /** Whether everything was over in time. */
  readonly finished: boolean
  /** Until the last answer. */
  readonly makespanMs: number
  readonly optimumMs: number
  readonly ratio: number
  /** Makespan less optimum. */
  readonly aboveMs: number
  /** 429s that the strategy got, each of them a body sent for nothing. */
  readonly refusals: number
  /** Uploads that met at least one of them. */
  readonly refusedUploads: number
  /** Units that refusals were charged. */
  readonly wastedUnits: number
  readonly lostFiles: number
  readonly stranger: { readonly sent: number; readonly refused: number }
}

const SOME_DAY = Date.UTC(2026, 0, 15)
const DAY_MS = 86_400_000
const TWO_HOURS_MS = 7_200_000

/** Runs one scenario from its first request to its last answer. */
export async function simulate(strategy: Strategy, scenario: Scenario): Promise<Run> {
  const random = createRandom(scenario.seed)
  const model = { ...usualModel, ...scenario.model }
  const startAt = SOME_DAY + Math.floor(random() * DAY_MS)
  const clock = createEventClock(startAt)
  const service = createService(model, { clock, random })
  const tally = { refusals: 0, refusedUploads: 0, wastedUnits: 0, lostFiles: 0, lastAnswerAt: startAt }
  const stranger = { sent: 0, refused: 0 }
  if (scenario.stranger) void beStranger(scenario.stranger, stranger, { clock, random, service })

  const best = optimumMs(scenario.stranger ? withHalfOfHourAndDay(model) : model, scenario.files, startAt)
  const clientClock = skewed(clock, scenario.clockErrorMs ?? between(random, [-500, 500]), scenario.clockDrift)
  const send = async (cost: number) => {
    const answer = await service.request(cost)
    tally.lastAnswerAt = clock.now()
    return answer
  }
  const work = runProcesses(strategy, scenario, { clock: clientClock, random, send, tally })
  const finished = await clock.run(work, startAt + best * (scenario.patience ?? 3) + TWO_HOURS_MS)
  const { lastAnswerAt, ...counts } = tally
  const makespanMs = lastAnswerAt - startAt
  return {
    finished,
    makespanMs,
    optimumMs: best,
    ratio: makespanMs / best,
    aboveMs: makespanMs - best,
    ...counts,
    stranger,
  }
}

function withHalfOfHourAndDay({ kinds, limits }: ServiceModel): Pick<ServiceModel, 'kinds' | 'limits'> {
  return { kinds, limits: { ...limits, hour: limits.hour / 2, day: limits.day / 2 } }
}
