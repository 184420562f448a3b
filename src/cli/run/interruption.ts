import { setMaxListeners } from 'node:events'
import { type Clock, systemClock } from '../../index.ts'
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

/**
 * Stops a run from outside. After the first signal requests in flight may end, for at most {@link graceMs}; the second
 * signal aborts them. The end of stdout (`| head`, a full disk) counts as a first signal, unless the run outlives its
 * reader.
 */
export interface Interruption {
  /** Aborts with the first signal: no new work may start. */
  readonly stopping: AbortSignal
  /** Aborts with the second signal, or when the grace period is over: requests in flight are aborted. */
  readonly givingUp: AbortSignal
  /**
   * Counts an item as in flight if `isInFlight` says so when a signal comes.
   * @returns stops that
   */
  watch(isInFlight: () => boolean): () => void
  /** What stopped the run; undefined while it has not been stopped. */
  cause(): StopCause | undefined
  /** The exit code of that cause. */
  exitCode(): number | undefined
  stop(cause: StopCause): void
  /**
   * From now on the run continues after the reader of stdout has closed it: an upload matters more than its link.
   * @param onLeft called when that happens
   */
  outliveReader(onLeft: () => void): void
  /** Passes all further signals to a command that handles them itself. */
  redirect(handler: (cause: StopCause) => void): void
  /** Ends the wait of the grace period. */
  dispose(): void
}

export function createInterruption({
  clock = systemClock,
  onStop,
}: {
  readonly clock?: Clock
  readonly onStop?: (cause: StopCause, inFlight: number) => void
} = {}): Interruption {
  const stopping = new AbortController()
  const givingUp = new AbortController()
  const disposed = new AbortController()
  // Each item in flight listens to these; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stopping.signal, givingUp.signal)
  const watched = new Set<() => boolean>()
  let first: StopCause | undefined
  let redirected: ((cause: StopCause) => void) | undefined
  let onReaderLeft: (() => void) | undefined

  function giveUp(): void {
    givingUp.abort(abortError())
  }

  return {
    stopping: stopping.signal,
    givingUp: givingUp.signal,
    watch(isInFlight) {
      watched.add(isInFlight)
      return () => watched.delete(isInFlight)
    },
    cause: () => first,
    exitCode: () => first && exitCodes[first],
    stop(cause) {
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
    outliveReader(onLeft) {
      onReaderLeft = onLeft
    },
    redirect(handler) {
      redirected = handler
    },
    dispose() {
      disposed.abort(abortError())
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
