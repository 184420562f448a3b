import { expect, test } from 'vitest'
import { ServiceClock } from '../../../../src/client/exactly-once/service-clock.ts'
import { uploadObject } from '../../../helpers/media.ts'

const start = Date.parse('2026-01-15T12:00:00Z')
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

function clockAt(isSteady: boolean) {
  const time = { now: start }
  const clock = { now: () => time.now, sleep: async () => {}, ...(isSteady && { monotonic: () => time.now }) }
  const service = new ServiceClock(clock)
  const tell = (serverNow: number) => service.told(serverNow, 5)
  return { time, service, tell }
}
const made = (at: number) => ({ ...uploadObject, created_at: new Date(at).toISOString() })

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

test('without a Date, an answered upload tells the time within the hour of local times, a listed one that it has passed', () => {
  for (const shows of ['stored', 'listed'] as const) {
    const { time, service } = clockAt(true)
    const moment = service.moment()
    time.now += 300
    if (shows === 'stored') service.stored(made(start + DAY_MS), start)
    else service.listed([made(start + DAY_MS), made(start)])
    const to = shows === 'stored' ? start + DAY_MS + 1_000 : Number.POSITIVE_INFINITY
    expect(service.when(moment)).toEqual({ from: start + DAY_MS - 800 - HOUR_MS, to })
  }
})

test('an answer with an older upload does not spoil what is known', () => {
  const { service } = clockAt(true)
  service.stored(made(start + DAY_MS), start)
  const known = service.when(service.moment())
  service.stored(made(start - DAY_MS), start)
  expect(service.when(service.moment())).toEqual(known)
})

test('a Date replaces what was concluded from creation times', () => {
  const { service, tell } = clockAt(true)
  service.stored(made(start + DAY_MS), start)
  tell(start)
  service.stored(made(start + DAY_MS), start)
  expect(service.when(service.moment())).toEqual({ from: start - 100, to: start + 1_105 })
})
