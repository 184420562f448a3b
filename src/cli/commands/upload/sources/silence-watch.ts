import { steadyMs } from '../../../../clock.ts'
import type { Clock } from '../../../../index.ts'

/** After a signal, a site that sends nothing for so long is not waited for until the end of the grace period. */
const SILENT_MS = 1_000

/** Watches a site while one file of it is uploaded. */
export interface SilenceWatch extends Disposable {
  /** Aborts once the run has been stopped and the site is silent. */
  readonly signal: AbortSignal
  /** Bytes have come. */
  moved(): void
}

export function watchSilence(stopping: AbortSignal, clock: Clock): SilenceWatch {
  const silent = new AbortController()
  const over = new AbortController()
  let movedAt = steadyMs(clock)
  async function untilSilent(): Promise<void> {
    for (;;) {
      const left = movedAt + SILENT_MS - steadyMs(clock)
      if (left <= 0) return silent.abort(stopping.reason)
      await clock.sleep(left, over.signal)
    }
  }
  const begin = () => void untilSilent().catch(() => {})
  stopping.addEventListener('abort', begin, { once: true })
  return {
    signal: silent.signal,
    moved() {
      movedAt = steadyMs(clock)
    },
    [Symbol.dispose]() {
      over.abort()
      stopping.removeEventListener('abort', begin)
    },
  }
}
