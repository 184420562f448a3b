import { uptime } from 'node:os'

/**
 * The passage of time, as an argument. Everything in `src/` that waits or reads the time does so through a clock,
 * so that a day's quota can be tested in milliseconds.
 */
export interface Clock {
  /** Milliseconds since the epoch; may be fractional. */
  now(): number
  /** Resolves after `ms` milliseconds; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Milliseconds since some instant; no setting of the clock moves it. */
  monotonic?(): number
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
  monotonic: timeSinceBoot(),
}

/** What the wall clock and the monotonic one may drift apart before it is looked into whether the machine has slept. */
const GAP_MS = 1_000
/** Some systems tell the time since their start in whole seconds. */
const COARSE_MS = 2_000

/**
 * Since the machine was started, so that processes can compare it. Node's own monotonic time is finer, but on some
 * systems stands still while the machine sleeps: that is made up for by what the system says itself.
 */
function timeSinceBoot(): () => number {
  let before: number | undefined
  let wallGap = 0
  return () => {
    const fine = performance.now()
    const gap = Date.now() - fine
    if (before === undefined || Math.abs(gap - wallGap) > GAP_MS) {
      wallGap = gap
      const told = uptime() * 1_000 - fine
      if (before === undefined || told - before > COARSE_MS) before = told
    }
    return fine + before
  }
}

/** What durations are measured by; only differences mean something. */
export function steadyMs(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now()
}

/** The same clock, whose `now` goes on from here by its monotonic time, where it has one: setting it moves nothing. */
export function steadyClock(clock: Clock): Clock {
  if (clock.monotonic === undefined) return clock
  const ahead = clock.now() - steadyMs(clock)
  return {
    now: () => ahead + steadyMs(clock),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    monotonic: () => steadyMs(clock),
  }
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
