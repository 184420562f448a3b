import { expect, test } from 'vitest'
import { runWithGrace } from '../../../../../src/cli/commands/upload/graceful-upload.ts'
import { createInterruption } from '../../../../../src/cli/run/interruption.ts'
import type { Clock } from '../../../../../src/index.ts'

/** A clock that stands still, so that a grace never ends. */
const stillClock: Clock = { now: () => 0, sleep: () => new Promise(() => {}) }

function interruptible() {
  const heard: number[] = []
  const interruption = createInterruption({ clock: stillClock, onStop: (_, inFlight) => heard.push(inFlight) })
  return { interruption, heard }
}

test('the first signal ends an upload that has sent nothing', async () => {
  const { interruption } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, upload.nothingSent()]).toEqual([true, true])
  })
})

test('the first signal spares an upload that is being sent, and the second ends it', async () => {
  const { interruption, heard } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onState('sending')
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, heard]).toEqual([false, [1]])
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, upload.nothingSent(), upload.allSent()]).toEqual([true, false, false])
  })
})

test('an upload that waits again after an attempt has sent nothing, and the first signal ends it', async () => {
  const { interruption, heard } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onState('sending')
    upload.onState('sent')
    expect(upload.allSent()).toBe(true)
    upload.onState('waiting')
    expect([upload.allSent(), upload.nothingSent()]).toEqual([false, true])
    interruption.stop('SIGINT')
    expect([upload.signal.aborted, heard]).toEqual([true, [0]])
  })
})

test('an upload that is refused during the grace period ends instead of waiting', async () => {
  const { interruption } = interruptible()
  await runWithGrace(interruption, async (upload) => {
    upload.onState('sending')
    upload.onState('sent')
    interruption.stop('SIGINT')
    upload.onState('waiting')
    expect(upload.signal.aborted).toBe(true)
  })
})
