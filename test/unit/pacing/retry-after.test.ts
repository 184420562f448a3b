import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalWait, unavailableWaitMs } from '../../../src/pacing/quota-model/refusals.ts'
import { parseRateReport, parseRetryAfter } from '../../../src/pacing/rate-headers.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../../src/protocol/rate-limits.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const date = 'Fri, 20 Nov 2026 12:00:00 GMT'

test.each([
  ['5', 5_000],
  [' 5 ', 5_000],
  ['0', 0],
  ['3.5', 3_500],
  ['3600', 3_600_000],
  ['999999999', 999_999_999_000],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
  ['soon', undefined],
  ['soon 12', undefined],
  ['Fri Nov 20 12:00:30 2026', 30_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  [String(now / 1_000 + 42), 42_000],
  [String(now + 42_000), 42_000],
  [String(now - 42_000), 0],
  ['120, 30', 120_000],
  ['30,soon,120', 120_000],
  ['soon, later', undefined],
  ['5, Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Friday, 20-Nov-26 12:00:30 GMT, Fri, 20 Nov 2026 12:01:00 GMT, 5', 60_000],
  ['Fri,', undefined],
  ['1e308', undefined],
  ['Infinity', undefined],
])('Retry-After %j asks for %s ms', (value, expected) => {
  expect(parseRetryAfter(value, date, now)).toBe(expected)
})

test('a date is compared with the Date of the same answer, even if the local clock is wrong', () => {
  const wrongNow = now + 900_000
  expect(parseRetryAfter('Fri, 20 Nov 2026 12:00:30 GMT', date, wrongNow)).toBe(30_000)
  expect(parseRetryAfter('Fri, 20 Nov 2026 12:15:30 GMT', undefined, wrongNow)).toBe(30_000)
})

test('a very long number asks for a finite time, and a very long list of commas for none', () => {
  const asked = parseRetryAfter('9'.repeat(200_000), date, now)
  expect(asked).toBeGreaterThan(86_400_000)
  expect(asked).toBeLessThan(Number.POSITIVE_INFINITY)
  expect(parseRetryAfter(','.repeat(200_000), date, now)).toBeUndefined()
  expect(parseRetryAfter('Fri,'.repeat(50_000), date, now)).toBeUndefined()
})

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

test('a wait is at least a second, and at most the longer of Retry-After and window', () => {
  fc.assert(
    fc.property(
      fc.option(fc.double({ min: 0, noNaN: true }), { nil: undefined }),
      fc.constantFrom(...windowNames),
      fc.integer({ min: 1, max: 2_000 }),
      (askedMs, window, refusals) => {
        const { ms } = refusalWait(askedMs, window, refusals)
        const honouredMs = askedMs !== undefined && askedMs <= 86_400_000 ? askedMs : 0
        expect(ms).toBeGreaterThanOrEqual(Math.max(1_250, honouredMs))
        expect(ms).toBeLessThanOrEqual(Math.max(windowLengthMs[window], honouredMs) + 250)
      },
    ),
  )
})

test.each([
  ['1795176000', 1_795_176_000_000],
  ['1795176000123', 1_795_176_000_123],
  ['30', now + 30_000],
  ['0', now],
  ['90000', undefined],
  ['99999999999999999', undefined],
  ['9'.repeat(400), undefined],
  ['1e308', undefined],
  ['soon', undefined],
])('X-RateLimit-Reset %j is the instant %s', (reset, expected) => {
  expect(parseRateReport({ date, 'x-ratelimit-reset': reset }, now + 5_000).resetAt).toBe(expected)
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

test('the service’s time is read from Date, except in an answer from a cache', () => {
  expect(parseRateReport({ date }, now + 5_000)).toEqual({ serverNow: now })
  expect(parseRateReport({ date, age: '3' }, now)).toEqual({})
})

test('a header that is no number, or too large a one, counts as missing', () => {
  for (const value of ['9'.repeat(400), '-1', '1e308', 'Infinity', '']) {
    const names = ['limit', 'remaining', 'cost', 'reset'].map((name) => [`x-ratelimit-${name}`, value])
    expect(parseRateReport(Object.fromEntries(names), now)).toEqual({})
  }
})

test('Limit, Remaining and Cost are read where the answer has them', () => {
  const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '50', 'x-ratelimit-cost': '10' }
  expect(parseRateReport(headers, now)).toEqual({ limit: 60, remaining: 50, cost: 10 })
  expect(parseRateReport({}, now)).toEqual({})
})
