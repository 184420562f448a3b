import { expect, test } from 'vitest'
import { type ClockMode, SwitchableClock } from '../../../../emulator/clock/clock.ts'
import type { SleepWatch, Standstill } from '../../../../emulator/clock/standstill.ts'

/** A clock whose standstills are noted, and a second of real time that passes on call. */
function watched(mode: ClockMode) {
  const told: Standstill[] = []
  const due: (() => void)[] = []
  const later: SleepWatch['later'] = (_ms, run) => {
    due.push(run)
    return () => {}
  }
  const clock = new SwitchableClock(mode, { onStandstill: (standstill) => told.push(standstill), later })
  const secondPasses = () => {
    for (const run of due.splice(0)) run()
  }
  return { clock, told, secondPasses }
}

const standstill = { now: '2026-01-15T12:00:00.000Z', until: undefined }

test('a client that sleeps for a second of real time on a virtual clock that stands is reported once', () => {
  const { clock, told, secondPasses } = watched('virtual')
  void clock.sleep(1_000)
  expect(told).toEqual([])
  secondPasses()
  expect(told).toEqual([standstill])
  void clock.sleep(1_000)
  secondPasses()
  expect(told).toEqual([standstill])
})

test('a sleeping client is not reported while the clock is being moved, but once it stands again', async () => {
  const { clock, told, secondPasses } = watched('virtual')
  void clock.sleep(10_000)
  await clock.advance(1_000)
  secondPasses()
  expect(told).toEqual([])
  secondPasses()
  expect(told).toEqual([{ ...standstill, now: '2026-01-15T12:00:01.000Z' }])
})

test('neither the service’s own sleeps, nor a sleep that has ended, nor a clock that moves by itself is reported', async () => {
  const { clock, told, secondPasses } = watched('virtual')
  void clock.sleepInBackground(1_000)
  secondPasses()
  void clock.sleep(10)
  await clock.advance(10)
  secondPasses()
  const auto = watched('auto')
  await auto.clock.sleep(10)
  auto.secondPasses()
  expect([told, auto.told]).toEqual([[], []])
})
