import { expect, test } from 'vitest'
import { ServiceClock } from '../../../../src/client/exactly-once/service-clock.ts'

const start = Date.parse('2026-01-15T12:00:00Z')

function steadyClock() {
  const time = { now: start }
  const clock = { now: () => time.now, sleep: async () => {}, monotonic: () => time.now }
  const service = new ServiceClock(clock)
  const tell = (serverNow: number) => service.told(serverNow, 5)
  return { time, service, tell }
}

test('a moment before a clock was set may be placed by either offset', () => {
  const { time, service, tell } = steadyClock()
  tell(start)
  const moment = service.moment()
  time.now += 1_000
  tell(start + 61_000)
  const { from, to } = service.when(moment)
  expect(from).toBeLessThan(start)
  expect(to).toBeGreaterThan(start + 60_000)
  expect(service.when(service.moment()).from).toBeGreaterThan(start + 60_000)
})
