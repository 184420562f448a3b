import { expect, test } from 'vitest'
import { refusalWait, unavailableWaitMs } from '../../../../src/pacing/quota-model/refusals.ts'
import type { WindowName } from '../../../../src/protocol/rate-limits.ts'

test('a refusal without a usable Retry-After waits by its window, twice as long each time, as a guess', () => {
  const waits = (window: WindowName | undefined, count: number) =>
    Array.from({ length: count }, (_, index) => refusalWait(undefined, window, index + 1))
  expect(waits('burst', 3).map(({ ms }) => ms)).toEqual([5_250, 10_250, 10_250])
  expect(waits('hour', 2).map(({ ms }) => ms)).toEqual([300_250, 600_250])
  expect(waits(undefined, 1)).toEqual([{ ms: 10_250, isGuess: true }])
})

test.each(['burst', 'minute', undefined] as const)(
  'a Retry-After longer than the window that refused (%s) is honoured up to a day',
  (window) => {
    expect(refusalWait(30_000, window)).toEqual({ ms: 30_250, isGuess: false })
    expect(refusalWait(7_200_000, window)).toEqual({ ms: 7_200_250, isGuess: false })
    expect(refusalWait(86_400_000, window)).toEqual({ ms: 86_400_250, isGuess: false })
  },
)

test('a Retry-After beyond a day is replaced by the length of the window, as a guess', () => {
  expect(refusalWait(86_400_001, 'burst')).toEqual({ ms: 10_250, isGuess: true })
  expect(refusalWait(1e300, 'hour')).toEqual({ ms: 3_600_250, isGuess: true })
  expect(refusalWait(1e12, undefined)).toEqual({ ms: 60_250, isGuess: true })
})

test('a Retry-After that did not help is doubled, up to the window’s length', () => {
  expect([1, 2, 3, 4, 9].map((refusals) => refusalWait(0, 'minute', refusals).ms)).toEqual([
    1_250, 2_250, 4_250, 8_250, 60_250,
  ])
  expect(refusalWait(30_000, 'minute', 3).ms).toBe(30_250)
})

test('after a 503 the wait is its Retry-After up to a day, else a backoff', () => {
  expect(unavailableWaitMs(60_000, 1)).toBe(60_250)
  expect(unavailableWaitMs(7_200_000, 1)).toBe(7_200_250)
  expect(unavailableWaitMs(1e12, 1)).toBe(3_600_250)
  expect([1, 2, 3, 9].map((refusals) => unavailableWaitMs(undefined, refusals))).toEqual([1_250, 2_250, 4_250, 30_250])
})
