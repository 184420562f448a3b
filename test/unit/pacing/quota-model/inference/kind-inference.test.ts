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
