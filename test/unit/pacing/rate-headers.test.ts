import { expect, test } from 'vitest'
import { parseRateReport, parseRetryAfter } from '../../../src/pacing/rate-headers.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const date = 'Fri, 20 Nov 2026 12:00:00 GMT'

test.each([
  ['5', 5_000],
  ['0', 0],
  ['3.5', 3_500],
  ['-5', undefined],
  ['', undefined],
  [undefined, undefined],
  ['soon', undefined],
  ['Fri Nov 20 12:00:30 2026', 30_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
  [String(now / 1_000 + 42), 42_000],
  [String(now + 42_000), 42_000],
  [String(now - 42_000), 0],
  ['Fri,', undefined],
  ['1e308', undefined],
])('Retry-After %j asks for %s ms', (value, expected) => {
  expect(parseRetryAfter(value, date)).toBe(expected)
})

test('without Date, an instant in Retry-After says nothing, and a duration counts', () => {
  for (const value of ['Fri, 20 Nov 2026 12:00:30 GMT', String(now / 1_000 + 30), String(now + 30_000)]) {
    for (const none of [undefined, 'yesterday']) expect(parseRetryAfter(value, none)).toBeUndefined()
  }
  expect(parseRetryAfter('3602', undefined)).toBe(3_602_000)
})

test('a very long number asks for a finite time, and a very long list of commas for none', () => {
  const asked = parseRetryAfter('9'.repeat(200_000), date)
  expect(asked).toBeGreaterThan(86_400_000)
  expect(asked).toBeLessThan(Number.POSITIVE_INFINITY)
  expect(parseRetryAfter(','.repeat(200_000), date)).toBeUndefined()
  expect(parseRetryAfter('Fri,'.repeat(50_000), date)).toBeUndefined()
})

test.each([
  ['1795176000', 1_795_176_000_000],
  ['1795176000123', 1_795_176_000_123],
  ['30', now + 30_000],
  ['0', now],
  ['90000', undefined],
  ['99999999999999999', undefined],
])('X-RateLimit-Reset %j is the instant %s', (reset, expected) => {
  expect(parseRateReport({ date, 'x-ratelimit-reset': reset }, now + 5_000).resetAt).toBe(expected)
})

test('time and quota are read from an answer, except one that a cache had kept for some time', () => {
  const headers = { date, 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '50', 'x-ratelimit-cost': '1' }
  const report = { serverNow: now, limit: 60, remaining: 50, cost: 1 }
  expect(parseRateReport(headers, now + 5_000)).toEqual(report)
  expect(parseRateReport({ ...headers, age: ' 0' }, now)).toEqual(report)
  for (const age of ['3', '0, 3', '']) expect(parseRateReport({ ...headers, age }, now)).toEqual({})
})

test('a header that is no number, or too large a one, counts as missing', () => {
  for (const value of ['9'.repeat(400), '-1', '1e308', 'Infinity', '']) {
    const names = ['limit', 'remaining', 'cost', 'reset'].map((name) => [`x-ratelimit-${name}`, value])
    expect(parseRateReport(Object.fromEntries(names), now)).toEqual({})
  }
})

test('Cost alone is told apart from Cost beside another quota header, even an unreadable one', () => {
  expect(parseRateReport({ 'x-ratelimit-cost': '10' }, now)).toEqual({ cost: 10, isCostAlone: true })
  for (const other of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'age']) {
    for (const value of ['60', '', 'many']) {
      expect(parseRateReport({ 'x-ratelimit-cost': '10', [other]: value }, now)).not.toHaveProperty('isCostAlone')
    }
  }
  for (const headers of [{}, { 'x-ratelimit-cost': '0' }, { 'x-ratelimit-cost': 'ten' }]) {
    expect(parseRateReport(headers, now)).not.toHaveProperty('isCostAlone')
  }
})
