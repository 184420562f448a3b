import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barSpans, sumOf, usageOf, usageRanges } from '../../../../emulator/service/usage.ts'
import { offsetDateTime } from '../../../../emulator/values/offset-date-time.ts'
import { request } from '../storage/records.ts'

const now = Date.parse('2026-01-15T12:34:56Z')
const hourMs = 3_600_000
const question = { range: '24h', now, timezone: 'Europe/Bucharest' } as const

test('requests count in the bar of their time by how they ended', () => {
  const statuses = [200, 201, 304, 404, 499, 429, 429, 500, 503]
  const requests = statuses.map((status, index) => request({ status, at: now - (index % 2) * hourMs }))
  const usage = usageOf(requests, question)
  expect(usage.totals).toEqual({ ok: 3, clientError: 2, limited: 2, serverError: 2 })
  expect(usage.bars.at(-1)?.counts).toEqual({ ok: 2, clientError: 1, limited: 1, serverError: 1 })
  expect(usage.bars.at(-2)?.counts).toEqual({ ok: 1, clientError: 1, limited: 1, serverError: 1 })
  expect(usage.bars.slice(0, -2).every(({ counts }) => sumOf(counts) === 0)).toBe(true)
})

test('the first instant of the first bar counts, the one before it and the future do not', () => {
  const first = Date.parse('2026-01-14T13:00:00Z')
  const usage = usageOf(
    [first - 1, first, now, now + 1].map((at) => request({ at })),
    question,
  )
  expect(sumOf(usage.totals)).toBe(2)
  expect(usage.bars[0]?.counts.ok).toBe(1)
})

test('the table has a row for each method, endpoint and status, the most frequent first, then that which came first', () => {
  const made = [
    ['GET', '/api/uploads/AbC-9_', 200],
    ['GET', '/api/uploads/other//', 200],
    ['GET', '/api/uploads/none', 404],
    ['DELETE', '/api/uploads/other', 200],
    ['GET', '/api/uploads/', 200],
    ['POST', '/api/upload', 429],
    ['POST', '/api/upload', 429],
    ['POST', '/api/upload', 429],
    ['GET', '/api/<script>', 404],
    ['GET', '/api/uploads/a/b', 404],
  ] as const
  const requests = made.map(([method, endpoint, status]) => request({ method, endpoint, status, at: now }))
  expect(usageOf(requests, question).rows).toEqual([
    { method: 'POST', endpoint: '/api/upload', status: 429, count: 3 },
    { method: 'GET', endpoint: '/api/uploads/{slug}', status: 200, count: 2 },
    { method: 'GET', endpoint: null, status: 404, count: 2 },
    { method: 'GET', endpoint: '/api/uploads/{slug}', status: 404, count: 1 },
    { method: 'DELETE', endpoint: '/api/uploads/{slug}', status: 200, count: 1 },
    { method: 'GET', endpoint: '/api/uploads', status: 200, count: 1 },
  ])
})

test('usage is incomplete only if dropped requests may belong into its span', () => {
  const early = request({ at: now - 25 * hourMs })
  const late = request({ at: now })
  for (const [requests, dropped, isIncomplete] of [
    [[late], 0, false],
    [[late], 3, true],
    [[early, late], 3, false],
    [[], 3, true],
  ] as const) {
    expect(usageOf(requests, { ...question, dropped })).toMatchObject({ isIncomplete })
  }
})

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
