import { setMaxListeners } from 'node:events'
import { type Clock, systemClock } from '../../index.ts'
import type { OutputEnd } from './host.ts'

export type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | OutputEnd

/** How long what is in flight may take to end after the first signal. */
export const graceMs = 5_000

const exitCodes: Readonly<Record<StopCause, number>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  'output-closed': 0,
  'output-failed': 1,
}

/**
 * The ways a run is stopped from outside. The first signal lets what is in flight end, for at most {@link graceMs}; the
 * second gives it up at once. An output that takes nothing more (`| head`, a full disk) counts as a first signal, but
 * where the run outlives its reader.
 */
export interface Interruption {
  /** Aborts with the first signal: nothing new may start. */
  readonly stopping: AbortSignal
  /** Aborts with the second, or when the grace is over: what is in flight is given up. */
  readonly givingUp: AbortSignal
  /**
   * Names something that may be in flight when a signal comes; `isFlying` is asked then.
   * @returns what ends that
   */
  watch(isFlying: () => boolean): () => void
  /** What stopped the run; undefined while nothing did. */
  cause(): StopCause | undefined
  /** The exit code it stands for. */
  exitCode(): number | undefined
  stop(cause: StopCause): void
  /**
   * From now on a reader that goes away stops nothing: what the run does matters more than what it prints.
   * @param onLeft called when the reader has gone
   */
  outliveReader(onLeft: () => void): void
  /** Hands all further signals to a command that looks after them itself. */
  redirect(handler: (cause: StopCause) => void): void
  /** Ends the grace period's wait. */
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
  // Every item in work listens to these; more than ten would be taken for a leak.
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
    watch(isFlying) {
      watched.add(isFlying)
      return () => watched.delete(isFlying)
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
      onStop?.(cause, [...watched].filter((isFlying) => isFlying()).length)
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

/** Whether nobody and nothing takes what is printed any more, rather than somebody having asked to stop. */
export function isOutputEnd(cause: StopCause): cause is OutputEnd {
  return cause === 'output-closed' || cause === 'output-failed'
}

function abortError(): DOMException {
  return new DOMException('The run was stopped', 'AbortError')
}
