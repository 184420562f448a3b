import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKindElimination } from '../../../../../src/pacing/quota-model/inference/kind-inference.ts'
import { windowKinds } from '../../../../../src/protocol/rate-limits.ts'

/** On a whole minute. */
const start = Date.parse('2026-11-20T12:00:00Z')
const exact = { least: 0, most: 0, at: start }

/** The kinds that are possible after answers that show so much use so many seconds after the whole minute. */
function remaining(answers: string, isTimeKnown = true) {
  const kinds = createKindElimination(60_000)
  for (const [second = 0, used = 0] of answers.split(' ').map((answer) => answer.split(':').map(Number))) {
    const sentAt = start + second * 1_000
    kinds.see({ sentAt, answeredAt: sentAt + 100, units: 10, used, limit: 60 }, isTimeKnown ? exact : undefined)
  }
  return windowKinds.filter(kinds.mayBe).join(' ')
}

const all = windowKinds.join(' ')

test.each([
  ['adds up', '1:10 12:20 23:30', all],
  ['starts again at the whole minute', '35:10 36:20 46:30 47:40 61:10', 'aligned'],
  ['shrinks evenly', '1:10 11:10 21:10', 'token_bucket'],
  ['shrinks by a unit less than needed', '1:60 13:60 24:58', 'aligned sliding sliding_counter token_bucket'],
  ['shrinks faster than a limit per length', '1:60 13:60 24:50', 'aligned sliding'],
  ['contains a share of the previous minute', '31:10 41:20 51:30 75:33 86:37', 'aligned sliding_counter token_bucket'],
  ['fails to add up once', '1:60 13:60', all],
  ['fails to add up twice within a minute', '1:60 13:60 25:60', 'aligned sliding sliding_counter token_bucket'],
  [
    'is by others too, and disappears within a minute',
    '1:10 11:20 21:30 31:40 41:50 62:59 75:58',
    'aligned sliding_counter token_bucket',
  ],
  ['is by others too, and does not shrink', '1:30 11:50 61:60', all],
  ['contradicts every kind', '1:10 2:0 3:0', all],
])('use that %s (after second:units %s) may be of %s', (_, answers, kinds) => {
  expect(remaining(answers)).toBe(kinds)
})

test('use by others that does not disappear within a minute does not rule out a sliding log', () => {
  expect(remaining('1:10 11:20 21:30 31:40 41:50 62:59 75:59')).toContain('sliding ')
})

test('without the service’s time no kind that follows its clock is ruled out', () => {
  expect(remaining('1:10 11:10 21:10', false)).toBe('aligned sliding_counter token_bucket')
})

test.each([
  ['requests that take no time are counted once', 0, [10, 10], [1, 11]],
  ['an answer proves nothing about a request sent at the moment it arrived', 1, [10, 20], [10, 10]],
])('%s', (_, at, ...answers) => {
  const kinds = createKindElimination(60_000)
  for (const [index, [units = 0, used = 0]] of answers.entries()) {
    kinds.see({ sentAt: start + at * index, answeredAt: start + at, units, used, limit: 60 }, exact)
  }
  expect(windowKinds.filter(kinds.mayBe)).toEqual(windowKinds)
})

test('of an account with high limits a thousand answers rule out what a few would', () => {
  const kinds = createKindElimination(60_000)
  for (let count = 1; count <= 1_000; count += 1) {
    const sentAt = start + 20_000 + count * 80
    const used = sentAt < start + 60_000 ? count * 10 : (count - 499) * 10
    kinds.see({ sentAt, answeredAt: sentAt + 5, units: 10, used, limit: 100_000 }, exact)
  }
  expect(windowKinds.filter(kinds.mayBe)).toEqual(['aligned'])
})

const answer = fc.record({
  pauseMs: fc.oneof(fc.constant(0), fc.nat(3_000), fc.nat(30_000)),
  lengthMs: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(40_000)),
  units: fc.constantFrom(5, 10, 10, 10),
  othersUnits: fc.constantFrom(0, 0, 0, 0, 0, 0, 7),
  isForgotten: fc.constantFrom(false, false, false, false, false, false, true),
})

interface Answer {
  readonly sentAt: number
  readonly answeredAt: number
  readonly units: number
  readonly used: number
}

const greatest = (numbers: readonly number[]) => Math.max(0, ...numbers)
const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))

/** The least use by fixed windows, a log and a bucket, from each pair of earlier answers. */
function leastUse(use: Answer, earlier: readonly (Answer & { readonly from: number })[]) {
  const unitsOf = (some: readonly Answer[]) => some.reduce((sum, { units }) => sum + units, 0)
  const after = (instant: number) => unitsOf(earlier.filter(({ sentAt }) => sentAt > instant))
  const since = (instant: number, of = earlier) => unitsOf(of.filter(({ sentAt }) => sentAt >= instant))
  const least = (seen: Answer) => Math.max(since(seen.sentAt), seen.used + after(seen.answeredAt))
  const within = use.answeredAt - 59_000
  const common = earlier.reduce((so, { units }) => divisor(so, units), 0)
  const others = earlier.flatMap((one) => {
    const sooner = earlier.filter(({ answeredAt }) => answeredAt < one.sentAt)
    const most = one.used - one.units - since(one.answeredAt - 59_000, sooner)
    const later = earlier.filter(({ sentAt }) => sentAt > one.answeredAt)
    return one.sentAt < within ? [] : later.map(({ used }) => (used % common) - most)
  })
  const kept = earlier.filter(({ from }) => use.answeredAt < from + 59_000)
  const regained = (seen: Answer) => ((use.answeredAt - seen.sentAt + 1_000) * 60) / 60_000
  const back = greatest(earlier.map((seen) => least(seen) - regained(seen)))
  const missing = earlier.filter((seen) => use.units + least(seen) > use.used).map(({ sentAt }) => sentAt)
  return {
    from: use.used <= use.units ? use.sentAt : Math.max(Number.NEGATIVE_INFINITY, ...missing),
    fixed: greatest(kept.map((seen) => seen.used + after(seen.answeredAt))),
    sliding: since(within) + greatest(others),
    sliding_counter: back,
    token_bucket: back,
  }
}

test('answers rule out what comparing each with every pair of earlier ones would', () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 40, size: 'max' }), (made) => {
      const kinds = createKindElimination(60_000)
      let [at, total] = [start, 0]
      const answers = made.map(({ pauseMs, lengthMs, units, othersUnits, isForgotten }) => {
        at += pauseMs
        total = (isForgotten ? 0 : total) + units + othersUnits
        return { sentAt: at, answeredAt: at + lengthMs, units, used: total, limit: 60 }
      })
      const possible = new Set<string>(windowKinds)
      let seen: (Answer & { readonly from: number })[] = []
      for (const use of answers.toSorted((one, other) => one.answeredAt - other.answeredAt)) {
        const { from, ...least } = leastUse(
          use,
          seen.filter(({ answeredAt }) => answeredAt < use.sentAt),
        )
        for (const [kind, units] of Object.entries(least)) if (use.used <= units + use.units - 1) possible.delete(kind)
        seen = [...seen.filter(({ answeredAt }) => answeredAt > use.sentAt - 120_000), { ...use, from }]
        kinds.see(use, undefined)
        expect(windowKinds.filter(kinds.mayBe)).toEqual(windowKinds.filter((kind) => possible.has(kind)))
      }
    }),
    { numRuns: 500 },
  )
})
