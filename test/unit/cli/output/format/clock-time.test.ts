import { expect, test } from 'vitest'
import { formatClockTime } from '../../../../../src/cli/output/format/time.ts'

const now = Date.parse('2026-11-20T12:00:00')

test.each([
  ['2026-11-20T16:10:42', '16:10'],
  ['2026-11-21T09:12:00', 'Sat 09:12'],
  ['2026-12-01T09:12:00', '2026-12-01 09:12'],
])('%s is said as %s', (instant, said) => {
  expect(formatClockTime(Date.parse(instant), now)).toBe(said)
})

test('seconds are said where they matter', () => {
  expect(formatClockTime(now + 5_000, now, { seconds: true })).toBe('12:00:05')
})
