import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKindElimination } from '../../src/pacing/quota-model/inference/kind-inference.ts'
import { defaultLimits, windowKinds, windowLengthMs } from '../../src/protocol/rate-limits.ts'
import { allOf, type ModelKind } from './simulation/model.ts'
import { createServiceQuota } from './simulation/service-quota.ts'

const modelKinds = [...windowKinds, 'sliding_second'] as const

const request = fc.record({
  cost: fc.oneof({ weight: 4, arbitrary: fc.constant(10) }, { weight: 1, arbitrary: fc.constantFrom(1, 3) }),
  isOurs: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  pauseMs: fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(20_000), fc.nat(90_000)),
  lengthMs: fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(3_000), fc.nat(40_000)),
  chargedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
})

const clock = fc.record({
  startAt: fc.nat(60_000),
  ahead: fc.integer({ min: -2_000, max: 2_000 }),
  doubt: fc.nat(1_000),
})

test('the kind of window that a service keeps is never ruled out, also while other programs use the key', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...modelKinds),
      clock,
      fc.array(request, { maxLength: 60, size: 'max' }),
      fc.boolean(),
      (kind, { startAt, ahead, doubt }, requests, chargesRefusals) => {
        // Elimination assumes that a sliding counter never exceeded its limit.
        const model = { kind, chargesRefusals: chargesRefusals && kind !== 'sliding_counter' }
        const answers = answersOf(model, requests, Date.UTC(2026, 0, 15) + startAt)
        const offset = { least: ahead - doubt, most: ahead + 1_000 - doubt, at: startAt }
        const kinds = createKindElimination(windowLengthMs.minute)
        for (const { sentAt, answeredAt, ...rest } of answers) {
          kinds.see({ sentAt: sentAt - ahead, answeredAt: answeredAt - ahead, ...rest }, offset)
          expect(kinds.mayBe(kind === 'sliding_second' ? 'sliding' : kind)).toBe(true)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})

type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never

interface Model {
  readonly kind: ModelKind
  readonly chargesRefusals: boolean
}

/** The service's answers to our requests, in their order; times by its clock. */
function answersOf({ kind, chargesRefusals }: Model, requests: readonly Request[], startAt: number) {
  const quota = createServiceQuota({ kinds: allOf(kind), limits: defaultLimits })
  let sentAt = startAt
  const sent = requests.map(({ pauseMs, lengthMs, chargedAfter, ...rest }) => {
    sentAt += pauseMs
    return { ...rest, sentAt, chargedAt: sentAt + Math.round(lengthMs * chargedAfter), answeredAt: sentAt + lengthMs }
  })
  const admitted = sent
    .sort((one, other) => one.chargedAt - other.chargedAt)
    .flatMap(({ cost, chargedAt, ...rest }) => {
      const isRefused = quota.used('minute', chargedAt) + cost > defaultLimits.minute
      if (!isRefused || chargesRefusals) quota.charge(['minute'], cost, chargedAt)
      if (isRefused) return []
      return [{ ...rest, units: cost, used: quota.used('minute', chargedAt), limit: defaultLimits.minute }]
    })
  return admitted.filter(({ isOurs }) => isOurs).sort((one, other) => one.answeredAt - other.answeredAt)
}
