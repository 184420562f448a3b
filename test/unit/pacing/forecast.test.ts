import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { forecastUploads, simulateUploads } from '../../../src/pacing/forecast.ts'
import type { PacingOutcome } from '../../../src/pacing/pacer.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const none = (count: number): readonly number[] => Array(count).fill(0)
const minutes = (instant: number) => Math.round((instant - now) / 60_000)

function plan(count: number, model: QuotaModel = new QuotaModel()) {
  const { parts } = simulateUploads(none(count), { now, model })
  return parts.map(({ startsAt, endsAt, ...part }) => ({ ...part, from: minutes(startsAt), to: minutes(endsAt) }))
}

/** A model that knows the answer to one request. */
function modelAfter(cost: number, answer: Pick<PacingOutcome & { type: 'answered' }, 'status' | 'report' | 'holdMs'>) {
  const model = new QuotaModel()
  model.apply({ type: 'reserve', id: 'first', at: now, cost })
  model.apply({ type: 'settle', id: 'first', outcome: { type: 'answered', at: now, ...answer } })
  return model
}

test('a hundred planned uploads fit into the first hour, and the rest wait for the next', () => {
  expect(plan(150)).toEqual([
    { first: 0, count: 100, from: 0, to: expect.closeTo(17, -0.5), waitsFor: null, pacedBy: 'minute' },
    { first: 100, count: 50, from: 60, to: expect.closeTo(69, -0.5), waitsFor: 'hour', pacedBy: 'hour' },
  ])
})

test('a thousand planned uploads fit into the first day', () => {
  const parts = plan(1_001)
  expect(parts.at(-2)).toMatchObject({ first: 900, count: 100 })
  expect(parts.at(-1)).toMatchObject({ first: 1_000, count: 1, from: 1_440, waitsFor: 'day' })
})

test('units that are in use already count in a plan', () => {
  const model = new QuotaModel()
  simulateUploads(none(100), { now: now - 3_000_000, model })
  expect(plan(1, model)).toMatchObject([{ count: 1, from: 10, waitsFor: 'hour' }])
})

test('the first planned upload waits for a service that is switched off', () => {
  const model = modelAfter(1, { status: 503, report: {}, holdMs: 600_000 })
  expect(plan(1, model)).toMatchObject([{ from: 10, waitsFor: 'service' }])
})

const limits = { burst: null, minute: null, hour: null, day: null }

test('uploads under way share the rate, and end when the bytes left of each are sent', () => {
  const { endsAt } = forecastUploads([2_000], { now, limits, underWay: [1_000, 3_000], bytesPerSecond: 1_000 })
  expect(Math.round(endsAt - now)).toBe(6_000)
})

test('uploads under way count once: as requests of the ledger that end', () => {
  const model = new QuotaModel()
  const inFlight = ['a', 'b'].map((id) => ({ type: 'reserve', id, at: now, cost: 10 }) as const)
  for (const entry of inFlight) model.apply(entry)
  const { endsAt, parts } = simulateUploads(none(4), { now: now + 500, model, inFlight, underWay: [0, 0] })
  expect(parts).toMatchObject([{ count: 4, pacedBy: 'burst' }])
  const all = simulateUploads(none(6), { now, model: new QuotaModel() })
  expect(Math.abs(endsAt - all.endsAt)).toBeLessThan(2_000)
})

test('without limits all planned uploads start as soon as a job is free', () => {
  const [part, ...rest] = forecastUploads(none(1_000), { now, limits, jobs: 4 }).parts
  expect([part?.pacedBy, part?.count, rest]).toEqual([null, 1_000, []])
  expect((part?.endsAt ?? 0) - now).toBeCloseTo(250_000, -4)
})

test('a plan of deletions counts three units each', () => {
  const tookMs = (count: number) => forecastUploads(none(count), { of: 'delete', now, jobs: 1 }).endsAt - now
  expect([tookMs(20) < 60_000, tookMs(21) >= 60_000]).toEqual([true, true])
  const tooFew = { burst: null, minute: 2, hour: null, day: null }
  expect(() => forecastUploads([0], { of: 'delete', now, limits: tooFew })).toThrow('a deletion costs 3 units')
})

test('uploads to an account that is known to have no quota are planned without a wait', () => {
  const model = modelAfter(10, { status: 201, report: { cost: 10, isCostAlone: true } })
  expect(plan(300, model)).toEqual([{ first: 0, count: 300, from: 0, to: 3, waitsFor: null, pacedBy: null }])
})

test.each([1, 3, 10, 30, 100, 300, 1_000, 3_000])(
  'a plan ends though %d MB a second send a byte sooner than times differ',
  (mb) => {
    const sizes = [2_999_983, 5_999_981, 8_999_999, 11_999_989]
    const underWay = [1_999_993, 299, 0]
    const options = { underWay, jobs: 8, bytesPerSecond: mb * 1_048_576 + 0.7, leastMs: 1 }
    const { endsAt } = simulateUploads(sizes, {
      ...options,
      now: now + 0.3,
      model: new QuotaModel({ limits: unlimited }),
    })
    expect(endsAt - now).toBeCloseTo(32_000_000 / (mb * 1_048.576), -3)
  },
)

const size = fc.oneof(
  fc.constantFrom(0, 1, 2e9),
  fc.double({ min: 0, max: 9.3, noNaN: true }).map((exponent) => 10 ** exponent),
  fc.nat(2e9),
)
const someLimits = fc.constantFrom(unlimited, {}, { minute: 20 }, { burst: 10, minute: 10, hour: 100 }, { day: 10 })

test('a forecast over any link ends after a bounded number of steps, when all bytes can have been sent', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 3, max: 11, noNaN: true }),
      fc.array(size, { maxLength: 50, size: 'max' }),
      fc.array(size, { maxLength: 8 }),
      fc.record({ jobs: fc.integer({ min: 1, max: 8 }), leastMs: fc.constantFrom(0, 0.1, 1_000) }),
      someLimits,
      (exponent, sizes, underWay, options, limits) => {
        const model = new QuotaModel({ limits })
        const verdict = vi.spyOn(model, 'verdict')
        const bytesPerSecond = 10 ** exponent
        const batch = { ...options, underWay, bytesPerSecond, now: now + 0.3 }
        const { endsAt, parts } = simulateUploads(sizes, { ...batch, model })
        const instants = [now, ...parts.flatMap((part) => [part.startsAt, part.endsAt])]
        const sentMs = ([...sizes, ...underWay].reduce((sum, bytes) => sum + bytes, 0) * 1_000) / bytesPerSecond
        expect(verdict.mock.calls.length).toBeLessThanOrEqual(20 * (sizes.length + underWay.length + 1))
        expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(sizes.length)
        expect(Math.min(...instants)).toBe(now)
        expect(endsAt - Math.max(...instants)).toBeGreaterThan(-0.01)
        expect(endsAt - now).toBeGreaterThan(sentMs * 0.999_999 - 1)
        if (limits === unlimited) expect(endsAt - now).toBeLessThan(sentMs * 1.000_001 + 1_000 * sizes.length + 2)
      },
    ),
    { numRuns: 200 },
  )
})

test('a plan for an account with thousands of recent requests waits for the oldest of them', () => {
  const model = new QuotaModel({ limits: { ...unlimited, minute: 20_010 } })
  for (let index = 0; index < 2_000; index += 1) {
    const at = now - 40_000 + 20 * index
    const report = { limit: 20_010, remaining: 20_000 - 10 * index, cost: 10 }
    model.apply({ type: 'reserve', id: `${index}`, at, cost: 10 })
    model.apply({ type: 'settle', id: `${index}`, outcome: { type: 'answered', at: at + 5, status: 201, report } })
  }
  const { parts, endsAt } = simulateUploads(none(2), { now, model })
  expect([parts.length, Math.round((endsAt - now) / 1_000)]).toEqual([1, 22])
})
