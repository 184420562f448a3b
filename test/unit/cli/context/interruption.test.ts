import { expect, test } from 'vitest'
import { createInterruption, type StopCause } from '../../../../src/cli/context/interruption.ts'

/** An interruption whose grace period ends when the test says so. */
function interrupted(...causes: readonly StopCause[]) {
  const slept: number[] = []
  let wake = () => {}
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      slept.push(ms)
      wake = resolve
    })
  const interruption = createInterruption({ clock: { now: () => 0, sleep }, onStop() {} })
  const states = () => [interruption.stopping.aborted, interruption.givingUp.aborted, interruption.exitCode()]
  const stop = (...more: readonly StopCause[]) => more.forEach(interruption.stop)
  stop(...causes)
  return { ...interruption, stop, states, slept, wake: () => wake() }
}

test.each<[readonly StopCause[], isStopping: boolean, givesUp: boolean, exitCode: number | undefined]>([
  [[], false, false, undefined],
  [['SIGINT'], true, false, 130],
  [['SIGINT', 'SIGINT'], true, true, 130],
  [['SIGTERM', 'SIGINT'], true, true, 143],
  [['output-closed'], true, false, 0],
  [['output-failed', 'output-closed'], true, false, 1],
])(
  'after %j it is %s that nothing new starts and %s that items in flight are aborted, and the code is %s',
  (causes, ...states) => {
    expect(interrupted(...causes).states()).toEqual(states)
  },
)

test('when the grace period is over, items in flight are aborted', async () => {
  const { slept, wake, states } = interrupted('SIGTERM')
  expect(slept).toEqual([5_000])
  wake()
  await Promise.resolve()
  expect(states()).toEqual([true, true, 143])
})
