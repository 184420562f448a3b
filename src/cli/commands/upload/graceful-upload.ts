import type { ClientEvent, Progress } from '../../../index.ts'
import type { Interruption } from '../../run/interruption.ts'

/** One upload that an interruption ends gently. */
export interface GracefulUpload {
  /** Aborts when the upload has to end. */
  readonly signal: AbortSignal
  /** Pass on the client's events: a wait or a retry ends an attempt. */
  onEvent(event: ClientEvent): void
  /** Pass on the bytes sent so far. */
  onProgress(progress: Progress): void
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

const nothing: Progress = { sent: 0, total: undefined }

function watchUpload({ stopping, givingUp, watch }: Interruption, halted: AbortSignal = new AbortController().signal) {
  const unsent = new AbortController()
  let sending = false
  let bytes = nothing
  const nothingSent = () => bytes.sent === 0
  const abortIfUnsent = () => {
    for (const { aborted, reason } of [stopping, halted]) if (aborted && nothingSent()) unsent.abort(reason)
  }
  const unwatch = watch(() => !nothingSent())
  stopping.addEventListener('abort', abortIfUnsent)
  halted.addEventListener('abort', abortIfUnsent)
  abortIfUnsent()
  return {
    signal: AbortSignal.any([givingUp, unsent.signal]),
    onProgress(progress: Progress) {
      if (sending) bytes = progress
    },
    nothingSent,
    allSent: () => bytes.total !== undefined && bytes.sent >= bytes.total,
    onEvent({ type }: ClientEvent) {
      if (type === 'request') sending = true
      // The client waits or retries only when the last attempt stored nothing.
      if (type !== 'wait' && type !== 'retry') return
      sending = false
      bytes = nothing
      abortIfUnsent()
    },
    dispose() {
      unwatch()
      stopping.removeEventListener('abort', abortIfUnsent)
      halted.removeEventListener('abort', abortIfUnsent)
    },
  }
}
