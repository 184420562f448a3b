import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { forecastUploads } from '../../../src/pacing/forecast.ts'
import type { PacingOutcome } from '../../../src/pacing/pacer.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaRow } from '../../../src/pacing/shared/quota-row.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'

type Answer = PacingOutcome & { type: 'answered' }

const now = Date.parse('2026-11-20T12:00:00Z')
const none = (count: number): readonly number[] => Array(count).fill(0)
const minutes = (instant: number) => Math.round((instant - now) / 60_000)

function plan(count: number, rows: readonly QuotaRow[] = []) {
  const { parts } = forecastUploads(none(count), { now, rows })
  return parts.map(({ startsAt, endsAt, ...part }) => ({ ...part, from: minutes(startsAt), to: minutes(endsAt) }))
}

/** A request that was answered after so many milliseconds. */
function answered(id: string, at: number, cost: number, tookMs: number, answer: Partial<Answer>): readonly QuotaRow[] {
  const outcome = { type: 'answered', at: at + tookMs, status: 201, report: {}, ...answer } as const
  return [
    { type: 'reserve', id, run: '', at, cost },
    { type: 'settle', id, outcome },
  ]
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
  const rows = none(100).flatMap((_, index) => {
    const at = now - 3_000_000 + index * 10_000
    return answered(`${index}`, at, 10, 1_000, { report: { cost: 10, serverNow: at + 1_000 } })
  })
  expect(plan(1, rows)).toMatchObject([{ count: 1, from: 10, waitsFor: 'hour' }])
})

test('the first planned upload waits for a service that is switched off', () => {
  const rows = answered('first', now, 1, 0, { status: 503, holdMs: 600_000 })
  expect(plan(1, rows)).toMatchObject([{ from: 10, waitsFor: 'service' }])
})

const limits = { burst: null, minute: null, hour: null, day: null }

test('uploads under way share the rate, and end when the bytes left of each are sent', () => {
  const { endsAt } = forecastUploads([2_000], { now, limits, underWay: [1_000, 3_000], bytesPerSecond: 1_000 })
  expect(Math.round(endsAt - now)).toBe(6_000)
})

test('uploads under way count once: as requests of the ledger that end', () => {
  const rows = ['a', 'b'].map((id): QuotaRow => ({ type: 'reserve', id, run: '', at: now, cost: 10 }))
  const { endsAt, parts } = forecastUploads(none(4), { now: now + 500, rows, underWay: [0, 0] })
  expect(parts).toMatchObject([{ count: 4, pacedBy: 'burst' }])
  const all = forecastUploads(none(6), { now })
  expect(Math.abs(endsAt - all.endsAt)).toBeLessThan(2_000)
})

test('without limits all planned uploads start as soon as a job is free', () => {
  const [part, ...rest] = forecastUploads(none(1_000), { now, limits, jobs: 4 }).parts
  expect([part?.pacedBy, part?.count, rest]).toEqual([null, 1_000, []])
  expect((part?.endsAt ?? 0) - now).toBeCloseTo(250_000, -4)
})

test('uploads to an account that is known to have no quota are planned without a wait', () => {
  const rows = answered('first', now, 10, 0, { report: { cost: 10, isCostAlone: true } })
  expect(plan(300, rows)).toEqual([{ first: 0, count: 300, from: 0, to: 3, waitsFor: null, pacedBy: null }])
})

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
        using verdict = vi.spyOn(QuotaModel.prototype, 'verdict')
        const bytesPerSecond = 10 ** exponent
        const { endsAt, parts } = forecastUploads(sizes, {
          ...options,
          limits,
          underWay,
          bytesPerSecond,
          now: now + 0.3,
        })
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
