import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPacer } from '../../src/pacing/create-pacer.ts'
import { createMemoryLedger } from '../../src/pacing/memory-ledger.ts'
import type { PacingOutcome } from '../../src/pacing/pacer.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { parseRateReport } from '../../src/pacing/rate-headers.ts'
import { createSharedLedger } from '../../src/pacing/shared-ledger/shared-ledger.ts'
import { defaultLimits, rateHeaders } from '../../src/protocol/rate-limits.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { createEventClock, type EventClock } from './simulation/event-clock.ts'
import { type ResetForm, resetForms } from './simulation/header-forms.ts'
import { allOf, type ModelKind, usualModel } from './simulation/model.ts'
import { createRandom } from './simulation/random.ts'
import { createService, type SimulatedAnswer } from './simulation/service.ts'

const noon = Date.UTC(2026, 0, 15, 12)
const limits = { ...defaultLimits, burst: 1_000 }
const timing = { lengthMs: 200, chargedAfter: 0.5 }
const resetHeader = rateHeaders.reset.toLowerCase()

interface RunsOnOneKey {
  readonly kind: ModelKind
  readonly reset?: ResetForm
  /** From a second on, Reset is too early by so many milliseconds. */
  readonly lie?: { readonly fromSecond: number; readonly ms: number }
}

/** Runs a program several times, each run a process with the same shared ledger, while others use the same key. */
async function runOnOneKey(
  { kind, reset = 'epoch-seconds', lie }: RunsOnOneKey,
  work: (world: World) => Promise<void>,
) {
  const folder = temporaryFolder()
  const clock = createEventClock(noon)
  const model = { ...usualModel, kinds: allOf(kind), limits, reset, softDelay: false }
  const service = createService(model, { clock, random: createRandom(1) })
  const altered = (answer: SimulatedAnswer) => {
    const told = Number(answer.headers[resetHeader])
    if (lie === undefined || clock.now() < noon + lie.fromSecond * 1_000 || Number.isNaN(told)) return answer
    return { ...answer, headers: { ...answer.headers, [resetHeader]: String(told - lie.ms / 1_000) } }
  }
  const world: World = {
    clock,
    until: (second) => clock.sleep(noon + second * 1_000 - clock.now()),
    others: (units) => service.request(units, timing),
    async run() {
      const startedAt = clock.now()
      const ledger = createSharedLedger({ folder, baseUrl: 'https://files.example', apiKey: 'key', limits, clock })
      const permit = await createPacer({ clock, ledger }).acquire({ cost: 1, maxWaitMs: Number.POSITIVE_INFINITY })
      const waitedSeconds = (clock.now() - startedAt) / 1_000
      const { status, headers, message } = altered(await service.request(1, timing))
      const at = clock.now()
      const outcome: PacingOutcome = { type: 'answered', at, status, report: parseRateReport(headers, at) }
      await permit.complete(message === '' ? outcome : { ...outcome, refusedBy: 'minute', holdMs: 1_000 })
      ledger.close?.()
      return { waitedSeconds, status, remaining: Number(headers['x-ratelimit-remaining']) }
    },
  }
  await clock.run(work(world))
}

interface World {
  readonly clock: EventClock
  /** Waits until so many seconds after noon. */
  readonly until: (second: number) => Promise<void>
  readonly others: (units: number) => Promise<SimulatedAnswer>
  readonly run: () => Promise<{
    readonly waitedSeconds: number
    readonly status: number
    readonly remaining: number
  }>
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

test.each(resetForms)(
  'a full minute is free at its Reset in %s for a run whose ledger shows that an earlier Reset was true',
  (reset) =>
    runOnOneKey({ kind: 'fixed', reset }, async (world) => {
      await oneMinute(world)
      await usedUp(world, 200)
      const { waitedSeconds, status } = await world.run()
      expect(status).toBe(200)
      expect(waitedSeconds).toBeGreaterThan(15)
      expect(waitedSeconds).toBeLessThan(20)
    }),
)

test('a Reset that no run has seen proven frees nothing, so the run waits for a minute', () =>
  runOnOneKey({ kind: 'fixed' }, async (world) => {
    await usedUp(world, 0)
    expect((await world.run()).waitedSeconds).toBeGreaterThan(60)
  }))

test('a proven Reset that turns wrong costs one refusal, and frees nothing for the rest of the day', () =>
  runOnOneKey({ kind: 'fixed', lie: { fromSecond: 100, ms: 10_000 } }, async (world) => {
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
    await fc.assert(
      fc.asyncProperty(fc.nat(60_000), fc.array(request, { minLength: 40, maxLength: 80 }), async (phase, requests) => {
        const clock = createEventClock(noon + phase)
        const model = { ...usualModel, kinds: allOf(kind), limits }
        const service = createService(model, { clock, random: createRandom(phase) })
        const pacer = createPacer({ clock, ledger: createMemoryLedger(createQuotaModel({ limits }), clock) })
        const send = async (cost: number) => {
          const permit = await pacer.acquire({ cost, maxWaitMs: Number.POSITIVE_INFINITY })
          const { status, headers } = await service.request(cost, timing)
          const at = clock.now()
          const reset = String(Math.ceil(at / 60_000) * 60)
          await permit.complete({
            type: 'answered',
            at,
            status,
            report: parseRateReport({ ...headers, [resetHeader]: reset }, at),
          })
          expect(status).not.toBe(429)
        }
        const all = async () => {
          for (const { cost, pauseMs } of requests) {
            await clock.sleep(pauseMs)
            await send(cost)
          }
        }
        await clock.run(all())
      }),
      { numRuns: 40, examples: [[0, backByChance]] },
    )
  },
)
