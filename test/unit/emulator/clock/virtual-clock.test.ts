import { beforeEach, expect, test } from 'vitest'
import { createVirtualClock, SwitchableClock } from '../../../../emulator/clock/clock.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'

/** Stops Date, so that no result depends on how long a test takes. */
beforeEach(() => fakeTimers('Date'))

test('a woken sleeper can run and sleep again before a later sleeper wakes', async () => {
  const clock = createVirtualClock(0)
  const events: string[] = []
  const repeating = async () => {
    for (const round of [1, 2, 3]) {
      await clock.sleep(10)
      await Promise.resolve()
      events.push(`round ${round} at ${clock.now()}`)
    }
  }
  const late = async () => {
    await clock.sleep(25)
    events.push(`late at ${clock.now()}`)
  }
  const both = Promise.all([late(), repeating()])
  await clock.advance(30)
  await both
  expect(events).toEqual(['round 1 at 10', 'round 2 at 20', 'late at 25', 'round 3 at 30'])
})

test('overlapping moves of a virtual clock run one after the other, those back or by no number are refused', async () => {
  const clock = createVirtualClock(0)
  await Promise.all([clock.advance(10), clock.advance(20), clock.pass(5), clock.sleep(0), clock.sleep(-5)])
  for (const ms of [-1, Number.NaN]) await expect(clock.advance(ms)).rejects.toThrow(RangeError)
  expect(clock.now()).toBe(35)
})

test('set moves a virtual clock to an instant; moving it back wakes no sleeper', async () => {
  const clock = createVirtualClock(1_000)
  let awake = false
  const sleeping = clock.sleep(500).then(() => {
    awake = true
  })
  await clock.set(200)
  expect([clock.now(), awake]).toEqual([200, false])
  await clock.set(1_500)
  await sleeping
  expect(awake).toBe(true)
})

test('a move of a virtual clock waits for work that begins during the move, and time stands still meanwhile', async () => {
  const clock = createVirtualClock(0)
  const events: string[] = []
  const worker = async () => {
    await clock.sleep(10)
    const work = new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() =>
      events.push(`done at ${clock.now()}`),
    )
    clock.holdWhile(work)
  }
  const sleeper = async () => {
    await clock.sleep(30)
    events.push(`awake at ${clock.now()}`)
  }
  const both = Promise.all([worker(), sleeper()])
  await clock.advance(50)
  await both
  expect([...events, clock.now()]).toEqual(['done at 10', 'awake at 30', 50])
})

test('an aborted sleep on a virtual clock rejects with the reason and does not hold up later moves', async () => {
  const clock = createVirtualClock(0)
  const controller = new AbortController()
  const sleeping = clock.sleep(10, controller.signal)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(sleeping).rejects.toBe(reason)
  await expect(clock.sleep(10, controller.signal)).rejects.toBe(reason)
  await clock.advance(100)
  expect(clock.now()).toBe(100)
})

test('a clock switched to virtual keeps the present time until it is moved, and switched back has the system’s time', async () => {
  const clock = new SwitchableClock('system')
  const before = clock.now()
  await clock.switchTo('virtual')
  const stopped = clock.now()
  expect(stopped).toBe(before)
  await clock.advance(3_600_000)
  expect([clock.mode, clock.now()]).toEqual(['virtual', stopped + 3_600_000])
  await clock.switchTo('system')
  expect([clock.mode, clock.now()]).toEqual(['system', stopped])
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
