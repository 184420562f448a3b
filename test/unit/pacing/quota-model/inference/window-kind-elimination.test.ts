import { expect, test } from 'vitest'
import { createKindElimination } from '../../../../../src/pacing/quota-model/inference/window-kind-elimination.ts'
import { windowKinds } from '../../../../../src/protocol/rate-limits.ts'

const minuteMs = 60_000
/** On a whole minute. */
const start = Date.parse('2026-11-20T12:00:00Z')
const exact = { least: 0, most: 0, at: start }

/** The kinds that are possible after answers so many seconds after the whole minute that show so much use. */
function remaining(answers: readonly (readonly [second: number, used: number])[], offset = exact) {
  const kinds = createKindElimination(minuteMs)
  for (const [second, used] of answers) {
    const sentAt = start + second * 1_000
    kinds.see({ sentAt, answeredAt: sentAt + 100, units: 10, used, limit: 60 }, offset)
  }
  return windowKinds.filter(kinds.mayBe)
}

test('use that adds up rules nothing out', () => {
  const answers = [
    [1, 10],
    [12, 20],
    [23, 30],
  ] as const
  expect(remaining(answers)).toEqual(windowKinds)
})

test('requests that take no time are counted once', () => {
  const kinds = createKindElimination(minuteMs)
  const at = { sentAt: start, answeredAt: start, limit: 60 }
  kinds.see({ ...at, units: 10, used: 10 }, exact)
  kinds.see({ ...at, units: 1, used: 11 }, exact)
  expect(windowKinds.filter(kinds.mayBe)).toEqual(windowKinds)
})

test('an answer proves nothing about a request sent at the moment it arrived', () => {
  const kinds = createKindElimination(minuteMs)
  kinds.see({ sentAt: start, answeredAt: start + 1, units: 10, used: 20, limit: 60 }, exact)
  kinds.see({ sentAt: start + 1, answeredAt: start + 1, units: 10, used: 10, limit: 60 }, exact)
  expect(windowKinds.filter(kinds.mayBe)).toEqual(windowKinds)
})

test('use that starts again at the whole minute leaves only aligned windows', () => {
  const answers = [
    [35, 10],
    [36, 20],
    [46, 30],
    [47, 40],
    [61, 10],
  ] as const
  expect(remaining(answers)).toEqual(['aligned'])
})

test('use that shrinks evenly leaves only a token bucket', () => {
  const answers = [
    [1, 10],
    [11, 10],
    [21, 10],
  ] as const
  expect(remaining(answers)).toEqual(['token_bucket'])
})

test('use that shrinks faster than a limit per length leaves neither a token bucket nor a sliding counter', () => {
  const answers = [
    [1, 60],
    [13, 60],
  ] as const
  expect(remaining([...answers, [24, 58]])).toEqual(['aligned', 'sliding', 'sliding_counter', 'token_bucket'])
  expect(remaining([...answers, [24, 50]])).toEqual(['aligned', 'sliding'])
})

test('use that contains a share of the previous minute leaves the sliding counter, and the kinds that can show less', () => {
  const answers = [
    [31, 10],
    [41, 20],
    [51, 30],
    [75, 33],
    [86, 37],
  ] as const
  expect(remaining(answers)).toEqual(['aligned', 'sliding_counter', 'token_bucket'])
})

test('use that fails to add up twice within a minute rules out fixed windows', () => {
  const answers = [
    [1, 60],
    [13, 60],
  ] as const
  expect(remaining(answers)).toEqual(windowKinds)
  expect(remaining([...answers, [25, 60]])).toEqual(['aligned', 'sliding', 'sliding_counter', 'token_bucket'])
})

test('use by others that disappears within a minute rules out a sliding log', () => {
  const answers = [
    [1, 10],
    [11, 20],
    [21, 30],
    [31, 40],
    [41, 50],
    [62, 59],
  ] as const
  expect(remaining([...answers, [75, 59]])).toContain('sliding')
  expect(remaining([...answers, [75, 58]])).toEqual(['aligned', 'sliding_counter', 'token_bucket'])
})

test('without the service’s time no kind that follows its clock is ruled out', () => {
  const kinds = createKindElimination(minuteMs)
  for (const second of [1, 11, 21]) {
    const sentAt = start + second * 1_000
    kinds.see({ sentAt, answeredAt: sentAt + 100, units: 10, used: 10, limit: 60 }, undefined)
  }
  expect(windowKinds.filter(kinds.mayBe)).toEqual(['aligned', 'sliding_counter', 'token_bucket'])
})

test('use by others rules nothing out', () => {
  const answers = [
    [1, 30],
    [11, 50],
    [61, 60],
  ] as const
  expect(remaining(answers)).toEqual(windowKinds)
})

test('answers that contradict every kind leave all of them possible', () => {
  const answers = [
    [1, 10],
    [2, 0],
    [3, 0],
  ] as const
  expect(remaining(answers)).toEqual(windowKinds)
})
