import { expect, test } from 'vitest'
import { createGracefulCall, createInterruption } from '../../../../../src/cli/context/interruption.ts'
import type { Clock, UploadState } from '../../../../../src/index.ts'

/** A clock that stands still, so that a grace never ends. */
const clock: Clock = { now: () => 0, sleep: () => new Promise(() => {}) }

test.each<[string, readonly (UploadState | 'signal')[], object]>([
  ['that has sent nothing', ['signal'], { aborted: true, nothingSent: true, heard: [0] }],
  ['that is being sent', ['sending', 'signal'], { aborted: false, heard: [1] }],
  ['that is being sent and is to end', ['sending', 'signal', 'signal'], { aborted: true, allSent: false, heard: [1] }],
  ['whose bytes are all sent', ['sending', 'sent'], { aborted: false, nothingSent: false, allSent: true }],
  ['waiting again', ['sending', 'sent', 'waiting'], { aborted: false, nothingSent: true, allSent: false, heard: [] }],
  ['that waits again and is to end', ['sending', 'sent', 'waiting', 'signal'], { aborted: true, heard: [0] }],
  ['that is refused during the grace', ['sending', 'sent', 'signal', 'waiting'], { aborted: true }],
])('an upload %s ends, or is spared, after %j: %j', (_, steps, expected) => {
  const heard: number[] = []
  const interruption = createInterruption({ clock, onStop: (_cause, inFlight) => heard.push(inFlight) })
  using upload = createGracefulCall(interruption)
  for (const step of steps) step === 'signal' ? interruption.stop('SIGINT') : upload.onState(step)
  const { aborted } = upload.signal
  expect({ aborted, heard, nothingSent: upload.nothingSent(), allSent: upload.allSent() }).toMatchObject(expected)
})
