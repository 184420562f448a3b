/**
 * The passage of time, as an argument. Everything in `src/` that waits or reads the time does so through a clock,
 * so that a day's quota can be tested in milliseconds.
 */
export interface Clock {
  /** Milliseconds since the epoch; may be fractional. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Node's timers fire at once beyond 2^31 - 1 ms, so longer sleeps are taken in steps of at most this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The machine's clock: the one place in `src/` that reads the wall clock or sets a timer. The wall clock, and not the
 * time since the process began, because processes compare what they write into shared files: theirs would drift apart
 * whenever the machine sleeps or its clock is set.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0 || left === ms; left -= LONGEST_TIMER_MS) {
      await sleepOnce(Math.min(Math.max(left, 0), LONGEST_TIMER_MS), signal)
    }
  },
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
