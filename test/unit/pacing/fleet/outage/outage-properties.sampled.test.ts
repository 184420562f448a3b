import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPacer } from '../../../../../src/pacing/create-pacer.ts'
import { defaultLimits, windowKinds, windowLengthMs, windowNames } from '../../../../../src/protocol/rate-limits.ts'
import { createEventClock } from '../../../../pacing/simulation/event-clock.ts'
import { allOf, usualModel } from '../../../../pacing/simulation/model.ts'
import { toOutcome } from '../../../../pacing/simulation/ours.ts'
import { createRandom } from '../../../../pacing/simulation/random.ts'
import { createService } from '../../../../pacing/simulation/service.ts'
import { sampledRuns } from '../../../../sampling/sample.ts'
import { createRunner, linesOf, patientRedis } from './outage-rig.ts'

const noon = Date.UTC(2026, 0, 15, 12)
const CALL_MS = 1_000

const request = fc.record({
  runner: fc.nat({ max: 3 }),
  cost: fc.constantFrom(1, 3, 10, 10, 10),
  pauseMs: fc.oneof({ weight: 5, arbitrary: fc.nat(8_000) }, { weight: 1, arbitrary: fc.nat(200_000) }),
  lengthMs: fc.oneof(fc.nat(500), fc.nat(3_000), fc.nat(40_000)),
  chargedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
  isSent: fc.constantFrom(true, true, true, false),
})

const cut = fc.record({
  runner: fc.option(fc.nat({ max: 3 })),
  fromMs: fc.nat(240_000),
  lengthMs: fc.oneof(fc.nat(3_000), fc.nat(60_000), fc.nat(900_000)),
})

const program = fc.record({
  runners: fc.integer({ min: 1, max: 4 }),
  kind: fc.constantFrom(...windowKinds),
  requests: fc.array(request, { minLength: 10, maxLength: 40, size: 'max' }),
  cuts: fc.array(cut, { minLength: 1, maxLength: 4, size: 'max' }),
})

type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never

interface Sent {
  readonly runner: number
  readonly at: number
  readonly cost: number
  readonly isAlone: boolean
  readonly isRefused: boolean
}

/** @param only the runner that sends all requests; the others are known, and idle */
async function play({ runners: count, kind, requests, cuts }: Program, only?: number) {
  const clock = createEventClock(noon)
  const service = createService({ ...usualModel, kinds: allOf(kind) }, { clock, random: createRandom(1) })
  const redis = patientRedis(clock)
  const runners = Array.from({ length: count }, () => {
    const runner = createRunner({ clock, redis, assumedRunners: count })
    return { ...runner, pacer: createPacer({ clock, ledger: runner.ledger }), cuts: 0 }
  })
  const sent: Sent[] = []
  const runnerOf = (index: number) => {
    const runner = runners[index % count]
    if (runner === undefined) throw new Error('no runner')
    return runner
  }

  async function beCut({ runner: index, fromMs, lengthMs }: Program['cuts'][number]): Promise<void> {
    const those = index === null ? runners : [runnerOf(index)]
    await clock.sleep(fromMs)
    for (const runner of those) {
      runner.cuts += 1
      Object.assign(runner.link, { isCut: true, callMs: CALL_MS })
    }
    await clock.sleep(lengthMs)
    for (const runner of those) {
      runner.cuts -= 1
      if (runner.cuts === 0) Object.assign(runner.link, { isCut: false, callMs: 20 })
    }
  }

  async function send(one: Program['requests'][number]): Promise<void> {
    const index = (only ?? one.runner) % count
    const { pacer, told } = runnerOf(index)
    const permit = await pacer.acquire({ cost: one.cost, maxWaitMs: Number.POSITIVE_INFINITY })
    if (!one.isSent) return await permit.complete({ type: 'not-sent' })
    const at = clock.now()
    const isAlone = told.at(-1) === 'unreachable'
    const answer = await service.request(one.cost, one)
    const isRefused = answer.status === 429
    sent.push({ runner: index, at, cost: one.cost, isAlone, isRefused })
    await permit.complete(toOutcome(answer, clock.now()))
  }

  async function sendAll(): Promise<void> {
    // The server knows all of them.
    for (const { log } of [...runners, ...runners]) await log.read()
    cutting.push(...cuts.map(beCut))
    const running: Promise<void>[] = []
    for (const one of requests) {
      await clock.sleep(one.pauseMs)
      running.push(send(one))
    }
    await Promise.all([...running, ...cutting])
    const last = { cost: 1 as const, pauseMs: 0, lengthMs: 10, chargedAfter: 0, isSent: true }
    for (const index of runners.keys()) {
      await clock.sleep(60_000)
      if (only === undefined || only % count === index) await send({ ...last, runner: index })
    }
  }
  const cutting: Promise<void>[] = []
  const isFinished = await clock.run(sendAll(), noon + 86_400_000)
  return { isFinished, sent, runners, redis }
}

/** The units of requests that were sent, and the ids of requests without an ending. */
function countedIn(lines: ReturnType<typeof linesOf>) {
  const costs = new Map(lines.flatMap((line) => (line.type === 'reserve' ? [[line.id, line.cost] as const] : [])))
  const endings = lines.filter(({ type, id }) => type !== 'reserve' && costs.has(id))
  const ended = new Set(endings.map(({ id }) => id))
  expect(ended.size).toBe(endings.length)
  const charged = endings.filter((line) => line.type === 'settle' && line.outcome.type !== 'not-sent')
  const counted = charged.reduce((sum, { id }) => sum + (costs.get(id) ?? 0), 0)
  return { counted, left: [...costs.keys()].filter((id) => !ended.has(id)) }
}

test('a runner that is cut off meets no refusal while the others of its fleet are idle', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const { isFinished, sent } = await play(given, 0)
      expect(isFinished).toBe(true)
      expect(sent.filter(({ isRefused }) => isRefused)).toEqual([])
    }),
    sampledRuns(60, 15),
  )
})

test('once runners that were cut off are back, the fleet has every unit once, and no request is left under way', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const { isFinished, sent, redis } = await play(given)
      expect(isFinished).toBe(true)
      const { counted, left } = countedIn(linesOf(redis))
      expect(counted).toBe(sent.reduce((sum, { cost }) => sum + cost, 0))
      expect(left).toEqual([])
    }),
    sampledRuns(60, 15),
  )
})

test('a runner that is cut off uses at most the whole limit in windows as many times as long as there are runners', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const { sent } = await play(given)
      for (const one of sent.filter(({ isAlone }) => isAlone)) {
        for (const name of windowNames) {
          const since = one.at - windowLengthMs[name] * given.runners
          const used = sent.filter(
            ({ runner, isAlone, at }) => isAlone && runner === one.runner && at > since && at <= one.at,
          )
          const units = used.reduce((sum, { cost }) => sum + cost, 0)
          expect(units, name).toBeLessThanOrEqual(defaultLimits[name] ?? 0)
        }
      }
    }),
    sampledRuns(50, 15),
  )
})

test('an outage is told once, as is its end, and only one call is made at a time', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const { runners } = await play(given)
      for (const { told, link } of runners) {
        expect(told.every((what, index) => what === (index % 2 === 0 ? 'unreachable' : 'back'))).toBe(true)
        expect(told.length % 2).toBe(0)
        expect(link.mostAtOnce).toBeLessThanOrEqual(1)
      }
    }),
    sampledRuns(50, 15),
  )
})
