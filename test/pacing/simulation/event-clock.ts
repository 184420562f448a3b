import type { Clock } from '../../../src/clock.ts'

/** A clock that jumps from one sleeper's due time to the next, so that a week passes as fast as it can be computed. */
export interface EventClock extends Clock {
  /**
   * Lets time pass until the work is done.
   * @param until epoch milliseconds at which to stop
   * @returns whether the work was done by then
   * @throws the work's error; Error if the work waits for something other than this clock
   */
  run(work: Promise<unknown>, until?: number): Promise<boolean>
}

interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

/** @param startAt epoch milliseconds */
export function createEventClock(startAt: number): EventClock {
  let now = startAt
  /** By due time, equal ones in the order of their calls. */
  const sleepers: Sleeper[] = []

  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const dueAt = now + Math.max(ms, 0)
        const wake = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const sleeper = { dueAt, wake }
        const abort = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          reject(signal?.reason)
        }
        sleepers.splice(sleepers.findLastIndex((other) => other.dueAt <= dueAt) + 1, 0, sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    async run(work, until = Number.POSITIVE_INFINITY) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      // Awaited below: until then a failure must not count as unhandled.
      done.catch(() => {})
      await continuationsHaveRun()
      while (!isDone) {
        const next = sleepers[0]
        if (next === undefined) throw new Error('The work waits, but not for the clock')
        if (next.dueAt > until) return false
        sleepers.shift()
        now = Math.max(now, next.dueAt)
        next.wake()
        await continuationsHaveRun()
      }
      await done
      return true
    },
  }
}

/**
 * The time as a wrong clock shows it.
 * @param errorMs the error at the start
 * @param drift the growth of the error per millisecond: 0.0001 is a second in three hours
 */
export function skewed(clock: Clock, errorMs: number, drift = 0): Clock {
  const startAt = clock.now()
  return {
    now: () => clock.now() + errorMs + (clock.now() - startAt) * drift,
    sleep: (ms, signal) => clock.sleep(ms / (1 + drift), signal),
  }
}

/** A turn of the event loop runs every promise continuation that is ready, however long the chain. */
function continuationsHaveRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
