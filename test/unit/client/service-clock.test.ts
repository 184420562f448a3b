import { expect, test } from 'vitest'
import { createServiceClock } from '../../../src/client/exactly-once/service-clock.ts'

const now = Date.parse('2026-01-15T12:00:00Z')

test('the service’s clock is assumed to be minutes off at most, until an answer tells the time', () => {
  const clock = createServiceClock()
  const request = { method: 'GET', path: '/api/uploads' }
  const response = { type: 'response', request, attempt: 1, status: 200, headers: {}, durationMs: 5 } as const
  clock.observe({ ...response, report: {} }, now)
  expect(clock.offset(now)).toEqual({ least: -600_000, most: 600_000 })
  clock.observe({ ...response, report: { serverNow: now } }, now)
  expect(clock.offset(now)).toMatchObject({ least: -100, most: 1_105 })
  expect(clock.offset(now + 100_000)).toMatchObject({ least: -110, most: 1_115 })
})
