import type { ClientEvent, Progress } from '../../../index.ts'
import type { Interruption } from '../../run/interruption.ts'

/** One upload on its way, as far as an interruption is concerned. */
export interface Flight {
  /** Aborts when the upload is given up. */
  readonly signal: AbortSignal
  /** Tells what the client does: what it waits for ends an attempt. */
  onEvent(event: ClientEvent): void
  /** Tells of the bytes handed over. */
  onProgress(progress: Progress): void
  /** Whether none of the file is with the service, or on its way there. */
  isGrounded(): boolean
  /** Whether all of the file has left, so that it may have been stored. */
  isComplete(): boolean
}

/**
 * Runs one upload. While it waits for its turn it is given up with the first signal; once it is on its way it gets the
 * grace.
 *
 * @param halted aborts when nothing of the batch may take off any more; what is on its way goes on
 */
export async function fly<T>(
  interruption: Interruption,
  upload: (flight: Flight) => Promise<T>,
  halted?: AbortSignal,
): Promise<T> {
  const flight = takeOff(interruption, halted)
  try {
    return await upload(flight)
  } finally {
    flight.land()
  }
}

const nothing: Progress = { sent: 0, total: undefined }

function takeOff({ stopping, givingUp, watch }: Interruption, halted: AbortSignal = new AbortController().signal) {
  const grounded = new AbortController()
  let sending = false
  let bytes = nothing
  const isGrounded = () => bytes.sent === 0
  const groundIfStopped = () => {
    for (const { aborted, reason } of [stopping, halted]) if (aborted && isGrounded()) grounded.abort(reason)
  }
  const unwatch = watch(() => !isGrounded())
  stopping.addEventListener('abort', groundIfStopped)
  halted.addEventListener('abort', groundIfStopped)
  groundIfStopped()
  return {
    signal: AbortSignal.any([givingUp, grounded.signal]),
    onProgress(progress: Progress) {
      if (sending) bytes = progress
    },
    isGrounded,
    isComplete: () => bytes.total !== undefined && bytes.sent >= bytes.total,
    onEvent({ type }: ClientEvent) {
      if (type === 'request') sending = true
      // It is waited only for what has proven to be safe to send again: that attempt left nothing behind.
      if (type !== 'wait' && type !== 'retry') return
      sending = false
      bytes = nothing
      groundIfStopped()
    },
    land() {
      unwatch()
      stopping.removeEventListener('abort', groundIfStopped)
      halted.removeEventListener('abort', groundIfStopped)
    },
  }
}
