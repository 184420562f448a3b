import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { Pacer } from '../../src/pacing/create-pacer.ts'
import { createSharedLedger } from '../../src/pacing/shared/shared-ledger.ts'
import { defaultLimits, rateHeaders } from '../../src/protocol/rate-limits.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { connect } from './simulation/connect.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { type ResetForm, resetForms } from './simulation/header-forms.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { toOutcome } from './simulation/ours.ts'
import { createRandom } from './simulation/random.ts'
import { createService, type SimulatedAnswer } from './simulation/service.ts'

const noon = Date.UTC(2026, 0, 15, 12)
const limits = { ...defaultLimits, burst: 1_000 }
const timing = { lengthMs: 200, chargedAfter: 0.5 }
const resetHeader = rateHeaders.reset.toLowerCase()

function withReset(answer: SimulatedAnswer, value: number): SimulatedAnswer {
  return { ...answer, headers: { ...answer.headers, [resetHeader]: String(value) } }
}

interface RunsOnOneKey {
  readonly reset?: ResetForm
  /** From a second on, Reset is too early by so many milliseconds. */
  readonly lie?: { readonly fromSecond: number; readonly ms: number }
}

/** A program that runs several times, each a process with the same shared ledger, while others use the same key. */
function oneKey({ reset = 'epoch-seconds', lie }: RunsOnOneKey) {
  const folder = temporaryFolder()
  const clock = createEventClock(noon)
  const model = { ...usualModel, limits, reset, softDelay: false }
  const service = createService(model, { clock, random: createRandom(1) })
  const altered = (answer: SimulatedAnswer) => {
    const told = Number(answer.headers[resetHeader])
    const isTrue = lie === undefined || clock.now() < noon + lie.fromSecond * 1_000 || Number.isNaN(told)
    return isTrue ? answer : withReset(answer, told - lie.ms / 1_000)
  }
  return {
    clock,
    until: (second: number) => clock.sleep(noon + second * 1_000 - clock.now()),
    others: (units: number) => service.request(units, timing),
    async run() {
      const startedAt = clock.now()
      const ledger = createSharedLedger({ folder, baseUrl: 'https://files.example', apiKey: 'key', limits, clock })
      const permit = await new Pacer({ clock, ledger }).acquire({ cost: 1, maxWaitMs: Number.POSITIVE_INFINITY })
      const waitedSeconds = (clock.now() - startedAt) / 1_000
      const answer = altered(await service.request(1, timing))
      await permit.complete(toOutcome(answer, clock.now()))
      ledger.close?.()
      return { waitedSeconds, status: answer.status, remaining: Number(answer.headers['x-ratelimit-remaining']) }
    },
  }
}

type World = ReturnType<typeof oneKey>

async function runOnOneKey(options: RunsOnOneKey, work: (world: World) => Promise<void>): Promise<void> {
  const world = oneKey(options)
  await world.clock.run(work(world))
}

/** A minute whose Reset stands still and proves true, seen by three runs. */
async function oneMinute({ until, others, run }: World): Promise<void> {
  await until(2)
  await run()
  await until(20)
  await others(50)
  await until(50)
  await run()
  await until(66)
  await run()
}

/** Others begin a minute and use all of it but one unit, which a run uses in its 44th second. */
async function usedUp({ until, others, run }: World, second: number): Promise<void> {
  await until(second)
  await others(59)
  await until(second + 44)
  expect((await run()).remaining).toBe(0)
}

test.each(resetForms)('a full minute is free at its Reset in %s where the ledger has seen one proven', (reset) =>
  runOnOneKey({ reset }, async (world) => {
    await oneMinute(world)
    await usedUp(world, 200)
    const { waitedSeconds, status } = await world.run()
    expect(status).toBe(200)
    expect(waitedSeconds).toBeGreaterThan(15)
    expect(waitedSeconds).toBeLessThan(20)
  }),
)

test('a Reset that no run has seen proven frees nothing, so the run waits for a minute', () =>
  runOnOneKey({}, async (world) => {
    await usedUp(world, 0)
    expect((await world.run()).waitedSeconds).toBeGreaterThan(60)
  }))

test('a proven Reset that turns wrong costs one refusal, and frees nothing for the rest of the day', () =>
  runOnOneKey({ lie: { fromSecond: 100, ms: 10_000 } }, async (world) => {
    await oneMinute(world)
    const statuses: number[] = []
    for (let hour = 1; hour < 24; hour += 1) {
      await usedUp(world, hour * 3_600)
      statuses.push((await world.run()).status)
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  }))

const request = fc.record({
  cost: fc.constantFrom(1, 10),
  pauseMs: fc.oneof(fc.nat(3_000), fc.nat(20_000), fc.nat(70_000)),
})

/** After 61 s a token bucket has regained what was missing; at two minutes, almost nothing. */
const backByChance = [
  { cost: 1, pauseMs: 2_000 },
  { cost: 10, pauseMs: 38_000 },
  { cost: 10, pauseMs: 0 },
  { cost: 1, pauseMs: 21_500 },
  { cost: 10, pauseMs: 55_000 },
  ...Array.from({ length: 20 }, () => ({ cost: 10, pauseMs: 0 })),
]

test.each(['sliding', 'sliding_second', 'sliding_counter', 'token_bucket'] as const)(
  'a Reset at the end of the clock’s minute is never relied on in a %s window',
  async (kind) => {
    const model = { kinds: allOf(kind), limits }
    const altered = (answer: SimulatedAnswer, clock: Clock) => withReset(answer, Math.ceil(clock.now() / 60_000) * 60)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(60_000),
        fc.array(request, { minLength: 40, maxLength: 80 }),
        async (startAt, requests) => {
          const { clock, refusals, run } = connect({ model, startAt, altered })
          const all = async () => {
            for (const { cost, pauseMs } of requests) {
              await clock.sleep(pauseMs)
              await run({ cost, ...timing })
            }
          }
          await clock.run(all())
          expect(refusals).toEqual([])
        },
      ),
      { numRuns: 40, examples: [[0, backByChance]] },
    )
  },
)
