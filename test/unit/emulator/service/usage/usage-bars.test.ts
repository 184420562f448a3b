import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barSpans, usageRanges } from '../../../../../emulator/service/usage.ts'
import { offsetDateTime } from '../../../../../emulator/values/offset-date-time.ts'

const bucharest = 'Europe/Bucharest'

function wallStarts(range: (typeof usageRanges)[number], now: string, timeZone = bucharest): readonly string[] {
  return barSpans(range, Date.parse(now), timeZone).map(({ from }) => offsetDateTime(from, timeZone).slice(0, 16))
}

test('24 hours are 24 bars that begin with the hour of the zone, the current one last', () => {
  const starts = wallStarts('24h', '2026-01-15T12:34:56Z')
  expect([starts.length, starts[0], starts.at(-1)]).toEqual([24, '2026-01-14T15:00', '2026-01-15T14:00'])
  expect(wallStarts('24h', '2026-01-15T12:34:56Z', 'Asia/Kolkata').at(-1)).toBe('2026-01-15T18:00')
})

test('7 days are 28 bars of a quarter of a day, 30 days 30 bars of a day', () => {
  const quarters = wallStarts('7d', '2026-01-15T12:34:56Z')
  expect([quarters.length, quarters[0], quarters.at(-1)]).toEqual([28, '2026-01-08T18:00', '2026-01-15T12:00'])
  const days = wallStarts('30d', '2026-01-15T12:34:56Z')
  expect([days.length, days[0], days.at(-1)]).toEqual([30, '2025-12-17T00:00', '2026-01-15T00:00'])
})

test.each([
  ['a day of 23 hours', '2026-03-31T09:00:00Z', '2026-03-29T00:00', 23],
  ['a day of 25 hours', '2026-10-27T09:00:00Z', '2026-10-25T00:00', 25],
])('%s makes its bar shorter or longer and moves no other', (_, now, changed, hours) => {
  const starts = wallStarts('30d', now)
  expect(starts.every((start) => start.endsWith('T00:00'))).toBe(true)
  const bar = barSpans('30d', Date.parse(now), bucharest)[starts.indexOf(changed)]
  expect(((bar?.until ?? 0) - (bar?.from ?? 0)) / 3_600_000).toBe(hours)
  const quarters = wallStarts('7d', now)
  expect(quarters.every((start) => /T(00|06|12|18):00$/.test(start))).toBe(true)
})

test('a day whose midnight the clock skips begins with its first instant, and the hour that a clock shows twice is two bars', () => {
  expect(wallStarts('30d', '2026-09-10T12:00:00Z', 'America/Santiago')).toContain('2026-09-06T01:00')
  const starts = wallStarts('24h', '2026-10-25T09:00:00Z')
  expect(starts.filter((start) => start === '2026-10-25T03:00')).toHaveLength(2)
})

test('bars follow each other without a gap, and the last one has the present, in every zone', () => {
  const zones = ['UTC', bucharest, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu']
  const instant = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2035-01-01') })
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), fc.constantFrom(...usageRanges), (now, zone, range) => {
      const spans = barSpans(range, now, zone)
      for (const [index, { from, until }] of spans.entries()) {
        expect(until).toBeGreaterThanOrEqual(from)
        expect(spans[index + 1]?.from ?? until).toBe(until)
      }
      expect(spans.at(-1)?.from).toBeLessThanOrEqual(now)
      expect(spans.at(-1)?.until).toBeGreaterThan(now)
    }),
  )
})
