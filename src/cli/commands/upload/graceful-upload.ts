import type { UploadState } from '../../../index.ts'
import { anySignal } from '../../../system/signals.ts'
import type { Interruption } from '../../context/interruption.ts'

/** One upload that an interruption ends gently. */
export interface GracefulUpload {
  /** Aborts when the upload has to end. */
  readonly signal: AbortSignal
  /** Pass on the states of the client's upload. */
  onState(state: UploadState): void
  /** Whether no byte of the file has been sent in the current attempt. */
  nothingSent(): boolean
  /** Whether the whole file has been sent, so that the service may have stored it. */
  allSent(): boolean
}

/**
 * Runs one upload. The first signal aborts it while it waits for quota; once bytes are on the wire, it has the grace
 * period to finish.
 *
 * @param halted aborts when the batch stops: uploads that have sent nothing stop too, the others finish
 */
export async function runWithGrace<T>(
  interruption: Interruption,
  work: (upload: GracefulUpload) => Promise<T>,
  halted?: AbortSignal,
): Promise<T> {
  const upload = watchUpload(interruption, halted)
  try {
    return await work(upload)
  } finally {
    upload.dispose()
  }
}

function watchUpload({ stopping, givingUp, watch }: Interruption, halted: AbortSignal = new AbortController().signal) {
  const unsent = new AbortController()
  const ended = new AbortController()
  let state: UploadState = 'waiting'
  const nothingSent = () => state === 'waiting'
  const abortIfUnsent = () => {
    for (const { aborted, reason } of [stopping, halted]) if (aborted && nothingSent()) unsent.abort(reason)
  }
  const unwatch = watch(() => !nothingSent())
  stopping.addEventListener('abort', abortIfUnsent)
  halted.addEventListener('abort', abortIfUnsent)
  abortIfUnsent()
  return {
    signal: anySignal([givingUp, unsent.signal], ended.signal),
    onState(next: UploadState) {
      state = next
      abortIfUnsent()
    },
    nothingSent,
    allSent: () => state === 'sent',
    dispose() {
      ended.abort()
      unwatch()
      stopping.removeEventListener('abort', abortIfUnsent)
      halted.removeEventListener('abort', abortIfUnsent)
    },
  }
}
