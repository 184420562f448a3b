import { steadyMs } from '../../../../clock.ts'
import type { Clock } from '../../../../index.ts'

/** After a signal, a site that sends nothing for so long is not waited for until the end of the grace period. */
const SILENT_MS = 1_000

/** Watches a site while one file of it is uploaded. */
export interface SilenceWatch extends Disposable {
  /** Aborts once the run has been stopped and the site is silent. */
  readonly signal: AbortSignal
  /** The upload begins or ends to wait for the site; time without such a wait is no silence. */
  awaited(isAwaited: boolean): void
}

export function watchSilence(stopping: AbortSignal, clock: Clock): SilenceWatch {
  const silent = new AbortController()
  const over = new AbortController()
  let awaitedSince: number | undefined = steadyMs(clock)
  async function untilSilent(): Promise<void> {
    for (;;) {
      const left = awaitedSince === undefined ? SILENT_MS : awaitedSince + SILENT_MS - steadyMs(clock)
      if (left <= 0) return silent.abort(stopping.reason)
      await clock.sleep(left, over.signal)
    }
  }
  const begin = () => void untilSilent().catch(() => {})
  if (stopping.aborted) begin()
  else stopping.addEventListener('abort', begin, { once: true })
  return {
    signal: silent.signal,
    awaited(isAwaited) {
      awaitedSince = isAwaited ? steadyMs(clock) : undefined
    },
    [Symbol.dispose]() {
      over.abort()
      stopping.removeEventListener('abort', begin)
    },
  }
}
