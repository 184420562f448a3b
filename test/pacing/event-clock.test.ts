import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEventClock, skewed } from './simulation/event-clock.ts'

const noon = Date.UTC(2026, 0, 15, 12)

test('the event clock wakes sleepers in the order of their due times, equal ones in the order of their calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 200 }), async (delays) => {
      const clock = createEventClock(noon)
      const woken: number[] = []
      await clock.run(
        Promise.all(delays.map((ms, index) => clock.sleep(ms).then(() => woken.push(ms * 1_000 + index)))),
      )
      expect(woken).toEqual(delays.map((ms, index) => ms * 1_000 + index).sort((a, b) => a - b))
    }),
    { numRuns: 30 },
  )
})

test('the event clock shows each sleeper its due time, and jumps a week at once', async () => {
  const clock = createEventClock(noon)
  const week = clock.sleep(604_800_000).then(() => clock.now())
  await clock.run(week)
  expect(await week).toBe(noon + 604_800_000)
})

test('the event clock stops at the given time', async () => {
  const clock = createEventClock(noon)
  expect(await clock.run(clock.sleep(1_001), noon + 1_000)).toBe(false)
})

test('the event clock rejects with the reason of an abort, and forgets the sleeper', async () => {
  const clock = createEventClock(noon)
  const controller = new AbortController()
  const sleeps = clock.sleep(1_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(sleeps).rejects.toThrow('enough')
  await clock.run(clock.sleep(2_000))
  expect(clock.now()).toBe(noon + 2_000)
})

test('the event clock throws when the work waits for something other than the clock', async () => {
  await expect(createEventClock(noon).run(new Promise(() => {}))).rejects.toThrow('not for the clock')
})

test('the event clock is read with an error through a skewed clock', () => {
  expect(skewed(createEventClock(noon), -500).now()).toBe(noon - 500)
})
