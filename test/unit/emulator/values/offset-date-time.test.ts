import { expect, test } from 'vitest'
import { offsetDateTime } from '../../../../emulator/values/offset-date-time.ts'

test.each([
  ['Europe/Bucharest', '2026-03-29T00:59:59.999Z', '2026-03-29T02:59:59+02:00'],
  ['Europe/Bucharest', '2026-03-29T01:00:00Z', '2026-03-29T04:00:00+03:00'],
  ['Europe/Bucharest', '2026-10-25T01:00:00Z', '2026-10-25T03:00:00+02:00'],
  ['UTC', '2026-01-15T12:00:00Z', '2026-01-15T12:00:00+00:00'],
  ['America/St_Johns', '2026-01-15T12:00:00Z', '2026-01-15T08:30:00-03:30'],
])('in %s %s is written %s', (zone, instant, text) => {
  expect(offsetDateTime(Date.parse(instant), zone)).toBe(text)
})

test('a fraction of a millisecond does not round up to the next second', () => {
  expect(offsetDateTime(Date.parse('2026-01-15T12:00:00.999Z') + 0.9, 'UTC')).toBe('2026-01-15T12:00:00+00:00')
})
