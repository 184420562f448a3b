import { setMaxListeners } from 'node:events'
import { systemClock } from '../../clock.ts'
import type { Clock, UploadState } from '../../index.ts'
import { anySignal } from '../../system/signals.ts'
import { exitCodeOfSignal } from '../failures/cli-error.ts'
import type { OutputEnd } from './host.ts'

export type StopCause = keyof typeof exitCodeOfSignal | OutputEnd

/** How long requests in flight may take to end after the first signal. */
export const graceMs = 5_000

const exitCodes: Readonly<Record<StopCause, number>> = {
  ...exitCodeOfSignal,
  'output-closed': 0,
  'output-failed': 1,
}

export function createInterruption({
  clock = systemClock,
  onStop,
}: {
  readonly clock?: Clock
  readonly onStop?: (cause: StopCause, inFlight: number) => void
} = {}) {
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const disposed = new AbortController()
  // Each item in flight listens to these; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stopping.signal, givingUp.signal)
  const watched = new Set<() => boolean>()
  let first: StopCause | undefined
  let redirected: ((cause: StopCause) => void) | undefined
  let onReaderLeft: (() => void) | undefined

  const giveUp = () => givingUp.abort(abortError())

  return {
    /** Aborts with the first signal: no new work may start. */
    stopping: stopping.signal,
    /** Aborts with the second signal, or when the grace period is over: requests in flight are aborted. */
    givingUp: givingUp.signal,
    /**
     * Counts an item as in flight if `isInFlight` says so when a signal comes.
     * @returns stops that
     */
    watch(isInFlight: () => boolean): () => void {
      watched.add(isInFlight)
      return () => watched.delete(isInFlight)
    },
    /** What stopped the run; undefined while it has not been stopped. */
    cause: (): StopCause | undefined => first,
    exitCode: (): number | undefined => first && exitCodes[first],
    stop(cause: StopCause) {
      if (redirected) return redirected(cause)
      if (first !== undefined) {
        if (!isOutputEnd(cause)) giveUp()
        return
      }
      if (cause === 'output-closed' && onReaderLeft !== undefined) return onReaderLeft()
      first = cause
      onStop?.(cause, [...watched].filter((isInFlight) => isInFlight()).length)
      stopping.abort(abortError())
      clock.sleep(graceMs, disposed.signal).then(giveUp, () => {})
    },
    /**
     * From now on the run continues after the reader of stdout has closed it: an upload matters more than its link.
     * @param onLeft called when that happens
     */
    outliveReader(onLeft: () => void) {
      onReaderLeft = onLeft
    },
    /** Passes all further signals to a command that handles them itself. */
    redirect(handler: (cause: StopCause) => void) {
      redirected = handler
    },
    /** Ends the wait of the grace period. */
    dispose() {
      disposed.abort(abortError())
    },
  }
}

/**
 * Stops a run from outside. After the first signal requests in flight may end, for at most {@link graceMs}; the second
 * signal aborts them. The end of stdout (`| head`, a full disk) counts as a first signal, unless the run outlives its
 * reader.
 */
export type Interruption = ReturnType<typeof createInterruption>

/**
 * Watches one upload or deletion, until it is disposed. The first signal ends it while it waits for quota; once bytes are
 * on the wire, it has the grace period to finish.
 *
 * @param halted aborts when the batch stops: uploads that have sent nothing stop too, the others finish
 */
export function createGracefulCall({ stopping, givingUp, watch }: Interruption, halted?: AbortSignal) {
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
    /** Aborts when the call has to end. */
    signal: anySignal([givingUp, unsent.signal], ended.signal),
    onState(next: UploadState): void {
      state = next
      abortIfUnsent()
    },
    /** Whether nothing has been sent in the current attempt. */
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

/** Whether stdout has ended, rather than a signal has come. */
export function isOutputEnd(cause: StopCause): cause is OutputEnd {
  return cause === 'output-closed' || cause === 'output-failed'
}

function abortError(): DOMException {
  return new DOMException('The run was stopped', 'AbortError')
}
