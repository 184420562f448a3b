import { expect, onTestFinished, test, vi } from 'vitest'
import { type ClockMode, createVirtualClock, SwitchableClock } from '../../../../emulator/clock/clock.ts'
import type { SleepWatch, Standstill } from '../../../../emulator/clock/standstill.ts'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { emulated, send } from '../emulated.ts'

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

test('a clock of createVirtualClock says on stderr that it stands, once a sleep has lasted a second', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  void createVirtualClock().sleep(60_000)
  const told = [[expect.stringMatching(/^The emulator's clock stands still at 2026-01-15T12:00/)]]
  await vi.waitFor(() => expect(write.mock.calls).toEqual(told), { timeout: 10_000 })
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

const until = '2026-01-15T12:00:10.000Z'

test('a client that is refused twice at one instant of a standing clock is reported, once', async () => {
  const told: Standstill[] = []
  const limited = { quotas: { ...unlimited, burst: 1 }, onStandstill: (one: Standstill) => told.push(one) }
  const emulator = await emulated(limited)
  const status = async () => (await send(emulator, 'GET', '/api/stats')).status
  expect([await status(), await status(), told]).toEqual([200, 429, []])
  await emulator.control.clock.advance('1s')
  expect([await status(), told]).toEqual([429, []])
  expect([await status(), told]).toEqual([429, [{ now: '2026-01-15T12:00:01.000Z', until }]])
})

test('a client elsewhere that waits for quota is reported unless the clock has moved meanwhile', async () => {
  const told: string[] = []
  const waited = async (name: string) => {
    const quotas = { ...unlimited, burst: 1 }
    const emulator = await emulated({ quotas, onStandstill: () => told.push(name) })
    await emulator.listen()
    await send(emulator, 'GET', '/api/stats')
    return emulator
  }
  const moved = await waited('moved')
  await waited('standing')
  await moved.control.clock.advance('1s')
  await expect.poll(() => told).toEqual(['standing'])
})
