import { describe, expect, test } from 'vitest'
import { formatQuotaLimits, parseQuotaLimits } from '../../../../../src/cli/config/quota-limits.ts'
import { formatByteSize, parseByteSize } from '../../../../../src/cli/output/format/byte-size.ts'
import { formatDuration, parseDuration } from '../../../../../src/cli/output/format/time.ts'
import { unlimited } from '../../../../../src/protocol/rate-limits.ts'

describe('parseDuration', () => {
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
  ])('reads %j as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['', 'abc', '5x', '-1s', '1h30m', '.5s', '1e3'])(
    'refuses %j and says what a duration looks like',
    (text) => {
      expect(() => parseDuration(text)).toThrow(/is not a duration: write 500ms, 2s, 5m or 1h/)
    },
  )
})

test.each([
  [40, '0.1 s'],
  [2_000, '2 s'],
  [9_950, '10 s'],
  [42_000, '42 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('%d ms are told as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

describe('parseByteSize', () => {
  test.each([
    ['200MB', 209_715_200],
    ['512 KiB', 524_288],
    ['1.5g', 1_610_612_736],
    ['100', 100],
    ['7b', 7],
  ])('reads %j as %d bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes)
  })

  test.each(['', '0', 'MB', '-5MB', '5 apples', '9999999TB'])('refuses %j', (text) => {
    expect(() => parseByteSize(text)).toThrow(/is not a file size/)
  })
})

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [85_049, '83.1 KB'],
  [209_715_200, '200 MB'],
])('%d bytes are told as %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text)
})

describe('quota limits', () => {
  test('windows not named keep their usual limit', () => {
    expect(parseQuotaLimits('burst=5, hour=none')).toEqual({ burst: 5, minute: 60, hour: null, day: 10_000 })
  })

  test('what is written is what is read', () => {
    const limits = { burst: 20, minute: null, hour: 1_000, day: 10_000 }
    expect(parseQuotaLimits(formatQuotaLimits(limits))).toEqual(limits)
  })

  test('no limit at all is written as none, and read as that', () => {
    expect(formatQuotaLimits(unlimited)).toBe('none')
    expect(parseQuotaLimits('none')).toEqual(unlimited)
  })

  test.each(['', 'week=3', 'burst', 'burst=-1', 'burst=x'])('%j is refused', (text) => {
    expect(() => parseQuotaLimits(text)).toThrow(/is not a quota/)
  })
})
