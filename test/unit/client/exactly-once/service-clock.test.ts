import { expect, test } from 'vitest'
import { ServiceClock } from '../../../../src/client/exactly-once/service-clock.ts'

const start = Date.parse('2026-01-15T12:00:00Z')
const DAY_MS = 86_400_000

function clockAt(isSteady: boolean) {
  const time = { now: start }
  const clock = { now: () => time.now, sleep: async () => {}, ...(isSteady && { monotonic: () => time.now }) }
  const service = new ServiceClock(clock)
  const tell = (serverNow: number) => service.told(serverNow, 5)
  return { time, service, tell }
}

test('a moment before a clock was set may be placed by either offset', () => {
  const { time, service, tell } = clockAt(true)
  tell(start)
  const moment = service.moment()
  time.now += 1_000
  tell(start + 61_000)
  const { from, to } = service.when(moment)
  expect(from).toBeLessThan(start)
  expect(to).toBeGreaterThan(start + 60_000)
  expect(service.when(service.moment()).from).toBeGreaterThan(start + 60_000)
})

test('without a steady clock a moment is no earlier than the latest Date before it, however the clock was set', () => {
  const { time, service, tell } = clockAt(false)
  tell(start + 60_000)
  tell(start)
  time.now -= DAY_MS
  const moment = service.moment()
  time.now += DAY_MS + 62_000
  tell(start + 62_000)
  expect(service.when(moment)).toMatchObject({ from: start + 59_000 })
})

test('without a steady clock and an earlier answer, a moment may be a week off', () => {
  const { service, tell } = clockAt(false)
  const moment = service.moment()
  tell(start)
  expect(service.when(moment)).toMatchObject({ from: start - 100 - 7 * DAY_MS })
})
