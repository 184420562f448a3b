import fc from 'fast-check'
import { expect, test } from 'vitest'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { sampledRuns } from '../sampling/sample.ts'
import { connect } from './simulation/connect.ts'
import { resetForms } from './simulation/header-forms.ts'
import { allOf, refusalCharges } from './simulation/model.ts'

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

test('no sequence of costs, lengths, pauses and failures is ever refused by a service with one kind of window', async () => {
  await fc.assert(
    fc.asyncProperty(service, phase, requests, async (model, at, all) => {
      const { clock, refusals, run } = connect({ model, ...at })
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
      const { clock, refusals, run } = connect({ model: { ...model, headers: ['cost'] }, ...at })
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
