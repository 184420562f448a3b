import { systemClock } from '../../clock.ts'
import type { ClientEvent, Clock, UploadState } from '../../index.ts'
import { shareSignal } from '../../system/signals.ts'
import { exitCodeOfSignal } from '../failures/cli-error.ts'
import type { OutputEnd } from './host.ts'

const exitCodes = { ...exitCodeOfSignal, 'output-closed': 0, 'output-failed': 1 } as const

export type StopCause = keyof typeof exitCodes

/** How long requests in flight may take to end after the first signal. */
export const graceMs = 5_000

interface InterruptionOptions {
  readonly clock?: Clock
  readonly onStop?: (cause: StopCause, inFlight: number) => void
}

/**
 * Stops a run from outside. After the first signal requests in flight may end, for at most {@link graceMs}; the second
 * signal aborts them. The end of stdout (`| head`, a full disk) counts as a first signal.
 */
export type Interruption = ReturnType<typeof createInterruption>

export function createInterruption({ clock = systemClock, onStop }: InterruptionOptions = {}) {
  const [stopping, givingUp, disposed] = [new AbortController(), new AbortController(), new AbortController()]
  // Each item in flight listens to these.
  for (const { signal } of [stopping, givingUp]) shareSignal(signal)
  const inFlight = new Set<object>()
  let first: StopCause | undefined
  let take: (cause: StopCause) => unknown = () => false
  const giveUp = () => givingUp.abort(abortError())
  return {
    /** Aborts with the first signal: no new work may start. */
    stopping: stopping.signal,
    /** Aborts with the second signal, or when the grace period is over: requests in flight are aborted. */
    givingUp: givingUp.signal,
    /** What has sent something and is not over. */
    inFlight,
    cause: (): StopCause | undefined => first,
    exitCode: (): number | undefined => first && exitCodes[first],
    stop(cause: StopCause) {
      if (take(cause) !== false) return
      if (first !== undefined) {
        if (!isOutputEnd(cause)) giveUp()
        return
      }
      first = cause
      onStop?.(cause, inFlight.size)
      stopping.abort(abortError())
      clock.sleep(graceMs, disposed.signal).then(giveUp, () => {})
    },
    /** From now on a command handles all causes itself, but those for which it returns false. */
    redirect(handler: typeof take) {
      take = handler
    },
    dispose: () => disposed.abort(abortError()),
  }
}

/**
 * Watches one call, until it is disposed. The first signal ends it while it waits for quota; once bytes are on the wire, it
 * has the grace period to finish.
 * @param halted aborts when the batch stops: uploads that have sent nothing stop too, the others finish
 */
export function createGracefulCall({ stopping, givingUp, inFlight }: Interruption, halted = stopping) {
  const [call, ended] = [new AbortController(), new AbortController()]
  let state: UploadState = 'waiting'
  const onState = (next = state) => {
    state = next
    if (state === 'waiting') inFlight.delete(call)
    else inFlight.add(call)
    const causes = state === 'waiting' ? [givingUp, stopping, halted] : [givingUp]
    const cause = causes.find(({ aborted }) => aborted)
    if (cause !== undefined) call.abort(cause.reason)
  }
  for (const signal of [givingUp, stopping, halted]) {
    signal.addEventListener('abort', () => onState(), { signal: ended.signal })
  }
  onState()
  return {
    signal: call.signal,
    onState: (next: UploadState) => onState(next),
    /** For a call that has no states of its own. What was refused waits, and has changed nothing. */
    onEvent(event: ClientEvent): void {
      if (event.type === 'request') onState('sending')
      if (event.type === 'response' && [429, 503].includes(event.status)) onState('waiting')
    },
    nothingSent: () => state === 'waiting',
    /** Whether the whole file has been sent, so that the service may have stored it. */
    allSent: () => state === 'sent',
    [Symbol.dispose]() {
      ended.abort()
      inFlight.delete(call)
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
