import { uptime } from 'node:os'

/**
 * Time as an argument. Everything in `src/` reads the time and waits through a clock, so that a test of a day's quota takes
 * milliseconds.
 */
export interface Clock {
  /** Milliseconds since the epoch; may be fractional. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds since a fixed instant; setting the clock does not change it. */
  monotonic?(): number
}

/** Node's timers fire at once beyond 2^31 - 1 ms, so longer sleeps go in steps. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The machine's clock: the one place in `src/` that reads the wall clock or sets a timer. It uses the wall clock because
 * processes compare the times in shared files; times since each process began would drift apart when the machine sleeps.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0 || left === ms; left -= LONGEST_TIMER_MS) {
      await sleepOnce(Math.min(Math.max(left, 0), LONGEST_TIMER_MS), signal)
    }
  },
  monotonic: timeSinceBoot(),
}

/** If the wall clock and the monotonic clock drift apart by more, the machine may have slept. */
const GAP_MS = 1_000
/** Some systems report their uptime in whole seconds. */
const COARSE_MS = 2_000

/**
 * Milliseconds since the machine started, which processes can compare. Node's monotonic time is finer, but on some systems
 * it stops while the machine sleeps; the system's uptime makes up for that.
 */
function timeSinceBoot(): () => number {
  let before: number | undefined
  let wallGap = 0
  return () => {
    // Node loads eight modules for `performance`.
    const fine = Number(process.hrtime.bigint()) / 1e6
    const gap = Date.now() - fine
    if (before === undefined || Math.abs(gap - wallGap) > GAP_MS) {
      wallGap = gap
      const told = uptime() * 1_000 - fine
      if (before === undefined || told - before > COARSE_MS) before = told
    }
    return fine + before
  }
}

/** For durations: only differences mean something. */
export function steadyMs(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now()
}

/** The same clock, but its `now` continues by its monotonic time, if it has one, so that setting the clock moves nothing. */
export function steadyClock(clock: Clock): Clock {
  if (clock.monotonic === undefined) return clock
  const ahead = clock.now() - steadyMs(clock)
  return {
    now: () => ahead + steadyMs(clock),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    monotonic: () => steadyMs(clock),
  }
}

/** Calls `then` after `ms` milliseconds. @returns stops the timer */
export function startTimer(clock: Clock, ms: number, then: () => void): () => void {
  if (clock === systemClock && ms <= LONGEST_TIMER_MS) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  }
  const stopped = new AbortController()
  clock.sleep(ms, stopped.signal).then(then, () => {})
  return () => stopped.abort()
}

/** The same for work that need not be done before the process ends: the timer does not keep it running. */
export function startIdleTimer(clock: Clock, ms: number, then: () => void): () => void {
  if (clock !== systemClock) return startTimer(clock, ms, then)
  const timer = setTimeout(then, ms)
  // In a page of jsdom it is a number.
  if (typeof timer === 'object') timer.unref()
  return () => clearTimeout(timer)
}

/** With the global timer, not `timers/promises`: tests that fake the global timers expect this clock to follow them. */
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
