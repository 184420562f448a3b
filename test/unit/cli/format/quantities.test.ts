import { expect, test } from 'vitest'
import {
  formatByteSize,
  formatClockTime,
  formatDuration,
  parseByteSize,
  parseDuration,
} from '../../../../src/cli/format/format.ts'
import { formatQuotaLimits, parseQuotaLimits } from '../../../../src/environment/quota-limits.ts'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'

test('durations are read, and what is none is refused with examples', () => {
  const texts = ['500ms', '2s', '1.5s', '5m', '1h', '1d', '30', '0', ' 2 s ']
  expect(texts.map(parseDuration)).toEqual([500, 2_000, 1_500, 300_000, 3_600_000, 86_400_000, 30_000, 0, 2_000])
  for (const text of ['', 'abc', '5x', '-1s', '1h30m', '.5s', '1e3']) {
    expect(() => parseDuration(text), text).toThrow(/is not a duration: write 500ms, 2s, 5m or 1h/)
  }
})

test.each([
  [40, '0.1 s'],
  [9_950, '10 s'],
  // As a service told it, and the margin of the pacer.
  [15_250, '15 s'],
  [60_250, '1 min'],
  [7_200_250, '2 h'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('%d ms are written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test('file sizes are read and written in units of 1,024, and what is none is refused', () => {
  expect(['200MB', '512 KiB', '1.5g', '100', '7b'].map(parseByteSize)).toEqual([
    209_715_200, 524_288, 1_610_612_736, 100, 7,
  ])
  for (const text of ['', '0', 'MB', '-5MB', '5 apples', '9999999TB']) {
    expect(() => parseByteSize(text), text).toThrow(/is not a file size/)
  }
  expect([0, 1_023, 85_049, 209_715_200].map(formatByteSize)).toEqual(['0 B', '1023 B', '83.1 KB', '200 MB'])
})

test('quota limits are parsed as they are formatted, and a window that is not named keeps its usual limit', () => {
  expect(parseQuotaLimits('burst=5, hour=none')).toEqual({ burst: 5, minute: 60, hour: null, day: 10_000 })
  const limits = { burst: 20, minute: null, hour: 1_000, day: 10_000 }
  expect(parseQuotaLimits(formatQuotaLimits(limits))).toEqual(limits)
  expect([formatQuotaLimits(unlimited), parseQuotaLimits('none')]).toEqual(['none', unlimited])
  expect(parseQuotaLimits('burst=999999999')).toMatchObject({ burst: 999_999_999 })
})

test.each([
  ...['', 'week=3', 'burst', 'burst=-1', 'burst=x'].map((text) => [text, 'is not a quota'] as const),
  ['burst=1000000000', 'is more than 999999999, the largest limit: write burst=none for no limit'] as const,
])('%j is refused as quota limits', (text, why) => {
  expect(() => parseQuotaLimits(text)).toThrow(why)
})

test('a time is written with its day if that is another, and with seconds if they are asked for', () => {
  const now = Date.parse('2026-11-20T12:00:00')
  const instants = ['2026-11-20T16:10:42', '2026-11-21T09:12:00', '2026-12-01T09:12:00']
  expect(instants.map((instant) => formatClockTime(Date.parse(instant), now))).toEqual([
    '16:10',
    'Sat 09:12',
    '2026-12-01 09:12',
  ])
  expect(formatClockTime(now + 5_000, now, { seconds: true })).toBe('12:00:05')
})
