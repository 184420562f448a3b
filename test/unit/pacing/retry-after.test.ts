import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRateReport } from '../../../src/pacing/rate-report.ts'
import { parseRetryAfter, refusalWaitMs, unavailableWaitMs } from '../../../src/pacing/retry-after.ts'
import { windowLengthMs, windowNames } from '../../../src/protocol/rate-limits.ts'

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
])('Retry-After %j asks for %s ms', (value, expected) => {
  expect(parseRetryAfter(value, date, now)).toBe(expected)
})

test('a date is compared with the Date of the same answer, not with a local clock that is wrong', () => {
  const wrongNow = now + 900_000
  expect(parseRetryAfter('Fri, 20 Nov 2026 12:00:30 GMT', date, wrongNow)).toBe(30_000)
  expect(parseRetryAfter('Fri, 20 Nov 2026 12:15:30 GMT', undefined, wrongNow)).toBe(30_000)
})

test('a refusal without a usable Retry-After waits by its window, twice as long each time', () => {
  expect([1, 2, 3].map((refusals) => refusalWaitMs(undefined, 'burst', refusals))).toEqual([5_250, 10_250, 10_250])
  expect([1, 2].map((refusals) => refusalWaitMs(undefined, 'hour', refusals))).toEqual([300_250, 600_250])
  expect(refusalWaitMs(undefined, undefined, 1)).toBe(10_250)
})

test('a refusal that names no window is believed up to a day', () => {
  expect(refusalWaitMs(7_200_000, undefined, 1)).toBe(7_200_250)
  expect(refusalWaitMs(1e12, undefined, 1)).toBe(86_400_250)
  expect(refusalWaitMs(7_200_000, 'burst', 1)).toBe(10_250)
})

test('a wait is never shorter than a second nor longer than the window that refused', () => {
  fc.assert(
    fc.property(
      fc.option(fc.double({ min: 0, noNaN: true }), { nil: undefined }),
      fc.constantFrom(...windowNames),
      fc.integer({ min: 1, max: 2_000 }),
      (askedMs, window, refusals) => {
        const wait = refusalWaitMs(askedMs, window, refusals)
        expect(wait).toBeGreaterThanOrEqual(1_250)
        expect(wait).toBeLessThanOrEqual(windowLengthMs[window] + 250)
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
  ['soon', undefined],
])('X-RateLimit-Reset %j is the instant %s', (reset, expected) => {
  expect(parseRateReport({ date, 'x-ratelimit-reset': reset }, now + 5_000).resetAt).toBe(expected)
})

test('a Retry-After that did not help is doubled, up to the window’s length', () => {
  expect([1, 2, 3, 4, 9].map((refusals) => refusalWaitMs(0, 'minute', refusals))).toEqual([
    1_250, 2_250, 4_250, 8_250, 60_250,
  ])
  expect(refusalWaitMs(30_000, 'minute', 3)).toBe(30_250)
})

test('a service that is switched off is asked again when it says, at most an hour later, else with backoff', () => {
  expect(unavailableWaitMs(60_000, 1)).toBe(60_250)
  expect(unavailableWaitMs(1e12, 1)).toBe(3_600_250)
  expect([1, 2, 3, 9].map((refusals) => unavailableWaitMs(undefined, refusals))).toEqual([1_250, 2_250, 4_250, 30_250])
})

test('the service’s time is read from Date, but not from an answer out of a cache', () => {
  expect(parseRateReport({ date }, now + 5_000)).toEqual({ serverNow: now })
  expect(parseRateReport({ date, age: '3' }, now)).toEqual({})
})

test('rate headers are read where they are there', () => {
  const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '50', 'x-ratelimit-cost': '10' }
  expect(parseRateReport(headers, now)).toEqual({ limit: 60, remaining: 50, cost: 10 })
  expect(parseRateReport({}, now)).toEqual({})
})
