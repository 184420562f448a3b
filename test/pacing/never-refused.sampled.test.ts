import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPacer } from '../../src/pacing/create-pacer.ts'
import { createMemoryLedger } from '../../src/pacing/memory-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { sampledRuns } from '../sampling/sample.ts'
import { createEventClock, skewed } from './simulation/event-clock.ts'
import { resetForms } from './simulation/header-forms.ts'
import { allOf, refusalCharges, usualModel } from './simulation/model.ts'
import { toOutcome } from './simulation/ours.ts'
import { createRandom } from './simulation/random.ts'
import { createService } from './simulation/service.ts'

const request = fc.record({
  cost: fc.constantFrom(1, 3, 10, 10, 10),
  pauseMs: fc.oneof(
    { weight: 6, arbitrary: fc.nat(3_000) },
    { weight: 2, arbitrary: fc.nat(90_000) },
    { weight: 1, arbitrary: fc.nat(7_200_000) },
  ),
  lengthMs: fc.oneof({ weight: 4, arbitrary: fc.nat(3_000) }, { weight: 1, arbitrary: fc.nat(90_000) }),
  chargedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
  end: fc.constantFrom('answered', 'answered', 'answered', 'answered', 'unanswered', 'not-sent'),
})

const service = fc.record({
  kinds: fc.constantFrom(...windowKinds, 'sliding_second' as const).map(allOf),
  refusalCharge: fc.constantFrom(...refusalCharges),
  softDelay: fc.boolean(),
  // Cost alone says that there is no quota.
  headers: fc.subarray(['limit', 'remaining', 'reset', 'cost'] as const).filter((names) => names.join() !== 'cost'),
  reset: fc.constantFrom(...resetForms),
})

const phase = fc.record({ startAt: fc.nat(86_400_000), clockErrorMs: fc.integer({ min: -500, max: 500 }) })
const requests = fc.array(request, { maxLength: 80, size: 'max' })

type Request = Omit<typeof request extends fc.Arbitrary<infer One> ? One : never, 'pauseMs'>
type Model = Partial<typeof usualModel>

/** A client of such a service, and the refusals that it met. */
function connect(model: Model, { startAt, clockErrorMs }: { readonly startAt: number; readonly clockErrorMs: number }) {
  const clock = createEventClock(Date.UTC(2026, 0, 15) + startAt)
  const ownClock = skewed(clock, clockErrorMs)
  const { request: send } = createService({ ...usualModel, ...model }, { clock, random: createRandom(startAt) })
  const pacer = createPacer({ clock: ownClock, ledger: createMemoryLedger(createQuotaModel(), clock) })
  const refusals: string[] = []

  const run = async ({ cost, end, ...timing }: Request) => {
    const permit = await pacer.acquire({ cost, maxWaitMs: Number.POSITIVE_INFINITY })
    if (end === 'not-sent') return permit.complete({ type: 'not-sent' })
    const answer = await send(cost, timing)
    if (answer.status === 429) refusals.push(answer.message)
    const at = ownClock.now()
    await permit.complete(end === 'answered' ? toOutcome(answer, at) : { type: 'unanswered', at })
  }
  return { clock, refusals, run }
}

test('no sequence of costs, lengths, pauses and failures is ever refused by a service with one kind of window', async () => {
  await fc.assert(
    fc.asyncProperty(service, phase, requests, async (model, at, all) => {
      const { clock, refusals, run } = connect(model, at)
      const work = async () => {
        const running: Promise<void>[] = []
        for (const { pauseMs, ...rest } of all) {
          await clock.sleep(pauseMs)
          running.push(run(rest))
        }
        await Promise.all(running)
      }
      await clock.run(work())
      expect(refusals).toEqual([])
    }),
    sampledRuns(150, 50),
  )
})

test('a service that shows Cost alone and has quotas refuses at most one of many requests in a row', async () => {
  await fc.assert(
    fc.asyncProperty(service, phase, requests, async (model, at, all) => {
      const { clock, refusals, run } = connect({ ...model, headers: ['cost'] }, at)
      const work = async () => {
        for (const { pauseMs, ...rest } of all) {
          await clock.sleep(pauseMs / 10)
          await run({ ...rest, end: rest.end === 'not-sent' ? rest.end : 'answered' })
        }
      }
      await clock.run(work())
      expect(refusals.length).toBeLessThanOrEqual(1)
    }),
    sampledRuns(150, 50),
  )
})
