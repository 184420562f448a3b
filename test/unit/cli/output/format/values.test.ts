import { expect, test } from 'vitest'
import { formatByteSize, parseByteSize } from '../../../../../src/cli/output/format/byte-size.ts'
import { formatClockTime, formatDuration, parseDuration } from '../../../../../src/cli/output/format/time.ts'
import { formatQuotaLimits, parseQuotaLimits } from '../../../../../src/environment/quota-limits.ts'
import { unlimited } from '../../../../../src/protocol/rate-limits.ts'

test.each([
  ['500ms', 500],
  ['2s', 2_000],
  ['1.5s', 1_500],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['30', 30_000],
  ['0', 0],
  [' 2 s ', 2_000],
])('the duration %j is read as %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', 'abc', '5x', '-1s', '1h30m', '.5s', '1e3'])('%j is refused as a duration, with examples', (text) => {
  expect(() => parseDuration(text)).toThrow(/is not a duration: write 500ms, 2s, 5m or 1h/)
})

test.each([
  [40, '0.1 s'],
  [2_000, '2 s'],
  [9_950, '10 s'],
  [42_000, '42 s'],
  // As a service told it, and the margin of the pacer.
  [15_250, '15 s'],
  [60_250, '1 min'],
  [7_200_250, '2 h'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('%d ms are written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  ['200MB', 209_715_200],
  ['512 KiB', 524_288],
  ['1.5g', 1_610_612_736],
  ['100', 100],
  ['7b', 7],
])('the file size %j is read as %d bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes)
})

test.each(['', '0', 'MB', '-5MB', '5 apples', '9999999TB'])('%j is refused as a file size', (text) => {
  expect(() => parseByteSize(text)).toThrow(/is not a file size/)
})

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [85_049, '83.1 KB'],
  [209_715_200, '200 MB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text)
})

test('a window that parsed quota limits do not name keeps its usual limit', () => {
  expect(parseQuotaLimits('burst=5, hour=none')).toEqual({ burst: 5, minute: 60, hour: null, day: 10_000 })
})

test('quota limits that were formatted are parsed to the same limits', () => {
  const limits = { burst: 20, minute: null, hour: 1_000, day: 10_000 }
  expect(parseQuotaLimits(formatQuotaLimits(limits))).toEqual(limits)
})

test('quota limits without any limit are written as none, and none is parsed to them', () => {
  expect(formatQuotaLimits(unlimited)).toBe('none')
  expect(parseQuotaLimits('none')).toEqual(unlimited)
})

test.each(['', 'week=3', 'burst', 'burst=-1', 'burst=x'])('%j is refused as quota limits', (text) => {
  expect(() => parseQuotaLimits(text)).toThrow(/is not a quota/)
})

test('a quota beyond the largest limit is refused with that limit, and how to have none', () => {
  const text = 'burst=1000000000'
  expect(() => parseQuotaLimits(text)).toThrow(
    'is more than 999999999, the largest limit: write burst=none for no limit',
  )
  expect(parseQuotaLimits('burst=999999999')).toMatchObject({ burst: 999_999_999 })
})

const now = Date.parse('2026-11-20T12:00:00')

test.each([
  ['2026-11-20T16:10:42', '16:10'],
  ['2026-11-21T09:12:00', 'Sat 09:12'],
  ['2026-12-01T09:12:00', '2026-12-01 09:12'],
])('the time %s is written as %s on 2026-11-20', (instant, said) => {
  expect(formatClockTime(Date.parse(instant), now)).toBe(said)
})

test('a time has seconds if they are asked for', () => {
  expect(formatClockTime(now + 5_000, now, { seconds: true })).toBe('12:00:05')
})
