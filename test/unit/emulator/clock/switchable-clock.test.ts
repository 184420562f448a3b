import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SwitchableClock, virtualStartMs } from '../../../../emulator/clock/clock.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'

/** Stops Date, so that no result depends on how long a test takes. */
beforeEach(() => fakeTimers('Date'))

test('a clock switched to virtual keeps the present time until it is moved, and switched back has the system’s time', async () => {
  const clock = new SwitchableClock('system')
  const before = clock.now()
  await clock.switchTo('virtual')
  const standing = clock.now()
  expect(standing).toBe(before)
  await clock.advance(3_600_000)
  expect([clock.mode, clock.now()]).toEqual(['virtual', standing + 3_600_000])
  await clock.switchTo('system')
  expect([clock.mode, clock.now()]).toEqual(['system', standing])
})

test('a sleep during a switch to virtual continues and ends when the clock is moved', async () => {
  const clock = new SwitchableClock('system')
  let wokenAt = 0
  const before = clock.now()
  const sleeping = clock.sleep(60_000).then(() => (wokenAt = clock.now()))
  await clock.switchTo('virtual')
  await clock.advance(59_000)
  expect(wokenAt).toBe(0)
  await clock.advance(2_000)
  await sleeping
  expect(wokenAt).toBe(before + 60_000)
})

test('sleepers on a virtual clock wake in order when a switch to the system’s later time makes them due', async () => {
  const clock = new SwitchableClock('virtual')
  const woken: string[] = []
  const later = clock.sleep(20_000).then(() => woken.push('later'))
  const sooner = clock.sleep(10_000).then(() => woken.push('sooner'))
  expect(clock.now()).toBe(virtualStartMs)
  await clock.switchTo('system')
  expect(woken).toEqual(['sooner', 'later'])
  await Promise.all([later, sooner])
})

test.each(['system', 'auto'] as const)('an answer delayed on a clock %s is sent once it is virtual', async (mode) => {
  const clock = new SwitchableClock(mode)
  const before = clock.now()
  for (const end of [clock.beginRequest(), clock.beginRequest()]) onTestFinished(end)
  const passing = clock.pass(60_000)
  await clock.switchTo('virtual')
  await passing
  expect(clock.now() - before).toBe(60_000)
})

test('an aborted sleep rejects with the reason, before and after a switch', async () => {
  const clock = new SwitchableClock('system')
  const controller = new AbortController()
  const sleeping = clock.sleep(60_000, controller.signal)
  await clock.switchTo('virtual')
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(sleeping).rejects.toBe(reason)
  await expect(clock.sleep(1, controller.signal)).rejects.toBe(reason)
})
