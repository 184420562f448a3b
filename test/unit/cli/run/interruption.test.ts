import { expect, test } from 'vitest'
import { createInterruption, graceMs, type StopCause } from '../../../../src/cli/run/interruption.ts'
import type { Clock } from '../../../../src/index.ts'

/** A clock whose one sleep ends when the test says so. */
function heldClock() {
  let wake = () => {}
  let slept = 0
  const clock: Clock = {
    now: () => 0,
    sleep: (ms) => {
      slept = ms
      return new Promise((resolve) => {
        wake = resolve
      })
    },
  }
  return { clock, slept: () => slept, wake: () => wake() }
}

test('the first signal keeps new items from starting, and lets items in flight finish', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('SIGINT')
  expect(interruption.stopping.aborted).toBe(true)
  expect(interruption.givingUp.aborted).toBe(false)
  expect(interruption.exitCode()).toBe(130)
})

test('when the grace period is over, items in flight are aborted', async () => {
  const held = heldClock()
  const interruption = createInterruption(held)
  interruption.stop('SIGTERM')
  expect(held.slept()).toBe(graceMs)
  held.wake()
  await Promise.resolve()
  expect(interruption.givingUp.aborted).toBe(true)
  expect(interruption.exitCode()).toBe(143)
})

test('the second signal aborts items in flight at once', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('SIGINT')
  interruption.stop('SIGINT')
  expect(interruption.givingUp.aborted).toBe(true)
})

test('a run whose reader closed stdout exits with 0', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('output-closed')
  expect(interruption.stopping.aborted).toBe(true)
  expect(interruption.exitCode()).toBe(0)
})

test('a run whose stdout failed exits with 1, and the failure is not a second signal', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('output-failed')
  expect(interruption.exitCode()).toBe(1)
  interruption.stop('output-closed')
  expect(interruption.givingUp.aborted).toBe(false)
})

test('a reader that closes stdout after a signal changes neither the exit code nor the grace period', () => {
  const interruption = createInterruption(heldClock())
  let left = 0
  interruption.outliveReader(() => {
    left += 1
  })
  interruption.stop('SIGINT')
  interruption.stop('output-closed')
  expect([left, interruption.givingUp.aborted, interruption.exitCode()]).toEqual([0, false, 130])
})

test('onStop is called for the first cause only', () => {
  const causes: StopCause[] = []
  const interruption = createInterruption({ ...heldClock(), onStop: (cause) => causes.push(cause) })
  interruption.stop('SIGTERM')
  interruption.stop('SIGINT')
  expect(causes).toEqual(['SIGTERM'])
})

test('redirected signals go to their new handler only', () => {
  const interruption = createInterruption(heldClock())
  const causes: StopCause[] = []
  interruption.redirect((cause) => causes.push(cause))
  interruption.stop('SIGINT')
  expect(causes).toEqual(['SIGINT'])
  expect(interruption.stopping.aborted).toBe(false)
  expect(interruption.exitCode()).toBeUndefined()
})

test('a run that was not stopped has no exit code of a signal', () => {
  expect(createInterruption().exitCode()).toBeUndefined()
})

test('onStop is called with the number of items in flight', () => {
  const heard: number[] = []
  const interruption = createInterruption({ ...heldClock(), onStop: (_, inFlight) => heard.push(inFlight) })
  interruption.watch(() => true)
  interruption.watch(() => false)
  const land = interruption.watch(() => true)
  land()
  interruption.stop('SIGINT')
  expect(heard).toEqual([1])
})
