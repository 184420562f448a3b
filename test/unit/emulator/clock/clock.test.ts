import { expect, test, vi } from 'vitest'
import { adoptClock, createSystemClock, createVirtualClock } from '../../../../emulator/clock/clock.ts'
import { fakeTimers } from '../../../helpers/fake-timers.ts'

test('the system clock waits by the global timers, also those that a test has faked, until the signal aborts', async () => {
  fakeTimers()
  const clock = createSystemClock()
  const slept = clock.pass(60_000)
  await vi.advanceTimersByTimeAsync(60_000)
  await slept
  const controller = new AbortController()
  const sleeping = clock.sleep(60_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
})

test('a virtual clock of the caller’s is adopted as it is; any other passes time by sleeping', async () => {
  const virtual = createVirtualClock()
  expect(adoptClock(virtual)).toBe(virtual)
  const slept: number[] = []
  const adopted = adoptClock({ now: () => 7, sleep: async (ms) => void slept.push(ms) })
  await adopted.pass(250)
  expect([adopted.mode, adopted.now(), slept]).toEqual(['system', 7, [250]])
})
