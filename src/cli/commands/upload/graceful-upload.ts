import type { UploadState } from '../../../index.ts'
import { anySignal } from '../../../system/signals.ts'
import type { Interruption } from '../../context/interruption.ts'

/**
 * Watches one upload, until it is disposed. The first signal ends it while it waits for quota; once bytes are on the wire, it
 * has the grace period to finish.
 *
 * @param halted aborts when the batch stops: uploads that have sent nothing stop too, the others finish
 */
export function createGracefulUpload({ stopping, givingUp, watch }: Interruption, halted?: AbortSignal) {
  const unsent = new AbortController()
  const ended = new AbortController()
  let state: UploadState = 'waiting'
  const nothingSent = () => state === 'waiting'
  const stops = halted === undefined ? [stopping] : [stopping, halted]
  const abortIfUnsent = () => {
    for (const { aborted, reason } of stops) if (aborted && nothingSent()) unsent.abort(reason)
  }
  const unwatch = watch(() => !nothingSent())
  for (const stop of stops) stop.addEventListener('abort', abortIfUnsent)
  abortIfUnsent()
  return {
    /** Aborts when the upload has to end. */
    signal: anySignal([givingUp, unsent.signal], ended.signal),
    /** Pass on the states of the client's upload. */
    onState(next: UploadState): void {
      state = next
      abortIfUnsent()
    },
    /** Whether no byte of the file has been sent in the current attempt. */
    nothingSent,
    /** Whether the whole file has been sent, so that the service may have stored it. */
    allSent: () => state === 'sent',
    [Symbol.dispose]() {
      ended.abort()
      unwatch()
      for (const stop of stops) stop.removeEventListener('abort', abortIfUnsent)
    },
  }
}

/** One upload that an interruption ends gently. */
export type GracefulUpload = ReturnType<typeof createGracefulUpload>
