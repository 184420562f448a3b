import { expect, test } from 'vitest'
import { watchSilence } from '../../../../../../src/cli/commands/upload/sources/remote-files.ts'
import { until } from '../../../../../helpers/until.ts'

function stoppable(onSleep: (slept: number, awaited: (is: boolean) => void) => void = () => {}) {
  const stop = new AbortController()
  let now = 0
  let slept = 0
  const clock = {
    now: () => now,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      now += ms
      slept += 1
      onSleep(slept, watch.awaited)
    },
  }
  const watch = watchSilence(stop.signal, clock)
  const pass = (ms: number) => {
    now += ms
  }
  return { watch, clock, at: () => now, pass, stop: () => stop.abort(new Error('stopped')) }
}

test('a site that has been silent for a second when the run is stopped is left at once', () => {
  const { watch, stop, at, pass } = stoppable()
  pass(1_000)
  expect(watch.signal.aborted).toBe(false)
  stop()
  expect([watch.signal.aborted, watch.signal.reason.message, at()]).toEqual([true, 'stopped', 1_000])
})

test('a site that still sends is left once it is silent for a second, also if the run has been stopped before', async () => {
  const { watch, stop, at, clock } = stoppable((slept, awaited) => {
    if (slept < 3) awaited(true)
  })
  stop()
  await until(() => watch.signal.aborted)
  expect(at()).toBe(3_000)
  const late = watchSilence(AbortSignal.abort(new Error('stopped')), clock)
  await until(() => late.signal.aborted)
  expect(at()).toBe(4_000)
})

test('a site is not left while the upload holds its bytes, and then a second after the upload waits for it again', async () => {
  const { watch, stop, at, pass } = stoppable((slept, awaited) => {
    if (slept === 4) awaited(true)
  })
  watch.awaited(false)
  pass(5_000)
  stop()
  await until(() => watch.signal.aborted)
  expect(at()).toBe(10_000)
})
