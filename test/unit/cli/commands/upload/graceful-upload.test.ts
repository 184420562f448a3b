import { expect, test } from 'vitest'
import { runWithGrace } from '../../../../../src/cli/commands/upload/graceful-upload.ts'
import { createInterruption } from '../../../../../src/cli/run/interruption.ts'
import type { ClientEvent, Clock } from '../../../../../src/index.ts'

const request = { method: 'POST', path: '/api/upload' }
const sent: ClientEvent = { type: 'request', request, attempt: 1, headers: {} }
const wait: ClientEvent = { type: 'wait', request, window: 'hour', source: 'retry-after', delayMs: 1_000 }
const retry: ClientEvent = { type: 'retry', request, attempt: 1, delayMs: 1_000, reason: 'x' }

/** A clock that stands still, so that a grace never ends. */
const stillClock: Clock = { now: () => 0, sleep: () => new Promise(() => {}) }

function interruptible() {
  const heard: number[] = []
  const interruption = createInterruption({ clock: stillClock, onStop: (_, inFlight) => heard.push(inFlight) })
  return { interruption, heard }
}

test('an upload that was not sent yet is given up with the first signal', async () => {
  const { interruption } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, upload.nothingSent()]).toEqual([true, true])
  })
})

test('an upload on its way is spared by the first signal and given up with the second', async () => {
  const { interruption, heard } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onEvent(sent)
    upload.onProgress({ sent: 50, total: 100 })
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, heard]).toEqual([false, [1]])
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, upload.nothingSent(), upload.allSent()]).toEqual([true, false, false])
  })
})

test.each([
  ['wait', wait],
  ['retry', retry],
])('a %s ends an attempt: nothing of it is on its way any more', async (_, event) => {
  const { interruption, heard } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onEvent(sent)
    upload.onProgress({ sent: 100, total: 100 })
    expect(upload.allSent()).toBe(true)
    upload.onEvent(event)
    // What was still being read when the answer came.
    upload.onProgress({ sent: 100, total: 100 })
    expect([upload.allSent(), upload.nothingSent()]).toEqual([false, true])
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, heard]).toEqual([true, [0]])
  })
})

test('an upload that is refused during the grace does not wait for its turn', async () => {
  const { interruption } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onEvent(sent)
    upload.onProgress({ sent: 100, total: 100 })
    interruption.stop('SIGINT')
    upload.onEvent(wait)
    expect(upload.signal.aborted).toBe(true)
  })
})
