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

test('the first signal stops what is new and spares what is in flight', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('SIGINT')
  expect(interruption.stopping.aborted).toBe(true)
  expect(interruption.givingUp.aborted).toBe(false)
  expect(interruption.exitCode()).toBe(130)
})

test('when the grace is over, what is in flight is given up', async () => {
  const held = heldClock()
  const interruption = createInterruption(held)
  interruption.stop('SIGTERM')
  expect(held.slept()).toBe(graceMs)
  held.wake()
  await Promise.resolve()
  expect(interruption.givingUp.aborted).toBe(true)
  expect(interruption.exitCode()).toBe(143)
})

test('the second signal gives up at once', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('SIGINT')
  interruption.stop('SIGINT')
  expect(interruption.givingUp.aborted).toBe(true)
})

test('an output that was closed counts as success', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('output-closed')
  expect(interruption.stopping.aborted).toBe(true)
  expect(interruption.exitCode()).toBe(0)
})

test('an output that failed counts as failure, and as no second signal', () => {
  const interruption = createInterruption(heldClock())
  interruption.stop('output-failed')
  expect(interruption.exitCode()).toBe(1)
  interruption.stop('output-closed')
  expect(interruption.givingUp.aborted).toBe(false)
})

test('a reader that leaves after a signal is not told of as one whose run goes on', () => {
  const interruption = createInterruption(heldClock())
  let left = 0
  interruption.outliveReader(() => {
    left += 1
  })
  interruption.stop('SIGINT')
  interruption.stop('output-closed')
  expect([left, interruption.givingUp.aborted, interruption.exitCode()]).toEqual([0, false, 130])
})

test('onStop hears of the first cause only', () => {
  const causes: StopCause[] = []
  const interruption = createInterruption({ ...heldClock(), onStop: (cause) => causes.push(cause) })
  interruption.stop('SIGTERM')
  interruption.stop('SIGINT')
  expect(causes).toEqual(['SIGTERM'])
})

test('redirected signals go to their new handler alone', () => {
  const interruption = createInterruption(heldClock())
  const causes: StopCause[] = []
  interruption.redirect((cause) => causes.push(cause))
  interruption.stop('SIGINT')
  expect(causes).toEqual(['SIGINT'])
  expect(interruption.stopping.aborted).toBe(false)
  expect(interruption.exitCode()).toBeUndefined()
})

test('nothing is stopped at first', () => {
  expect(createInterruption().exitCode()).toBeUndefined()
})

test('onStop hears how much is in flight', () => {
  const heard: number[] = []
  const interruption = createInterruption({ ...heldClock(), onStop: (_, inFlight) => heard.push(inFlight) })
  interruption.watch(() => true)
  interruption.watch(() => false)
  const land = interruption.watch(() => true)
  land()
  interruption.stop('SIGINT')
  expect(heard).toEqual([1])
})
