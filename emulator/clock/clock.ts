import { OutOfRangeError } from '../../src/checks/coded-error.ts'
import type { Clock } from '../../src/clock.ts'
import { nextTurn } from './next-turn.ts'

/** The service's time. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode
  /**
   * Lets `ms` milliseconds pass: waits for the system clock, moves a virtual one, so that a delayed answer (spec 8.3)
   * never hangs on a clock that stands still.
   */
  pass(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Registers background work: a virtual clock does not move on, and a move does not end, before the work is done
   * (or, if work keeps arriving, before {@link mostLateWork} pieces are). The work must not call `pass` or move the
   * clock. No effect on the system clock.
   */
  holdWhile(work: Promise<unknown>): void
}

export type ClockMode = 'system' | 'virtual'

/** Stands still until it is moved. */
export interface VirtualClock extends EmulatorClock {
  readonly mode: 'virtual'
  /**
   * Moves forward by `ms` milliseconds. Due sleepers wake in the order of their due times; each runs on, with `now()`
   * at its own due time, before the next one wakes.
   * @throws RangeError if `ms` is negative or not a number
   */
  advance(ms: number): Promise<void>
  /** Moves to an instant in epoch milliseconds. Moving back wakes no sleeper and keeps their due times. */
  set(epochMs: number): Promise<void>
}

/** The default start of a virtual clock: 2026-01-15T12:00:00Z. */
export const virtualStartMs = Date.UTC(2026, 0, 15, 12)

/** Node's timers fire at once beyond 2^31 - 1 ms, so longer sleeps take several timers. */
const longestTimerMs = 2 ** 31 - 1

/** The machine's clock. */
export function createSystemClock(): EmulatorClock {
  const sleep = async (ms: number, signal?: AbortSignal) => {
    for (let left = ms; left > 0; left -= longestTimerMs) await sleepOnce(Math.min(left, longestTimerMs), signal)
    signal?.throwIfAborted()
  }
  return {
    mode: 'system',
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep,
    pass: sleep,
    holdWhile: ignoreWork,
  }
}

/** Adapts a clock of the caller's; a {@link VirtualClock} stays itself. */
export function adoptClock(clock: Clock): EmulatorClock {
  if (isVirtualClock(clock)) return clock
  const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal)
  const monotonic = clock.monotonic && { monotonic: () => clock.monotonic?.() ?? clock.now() }
  return { mode: 'system', now: () => clock.now(), ...monotonic, sleep, pass: sleep, holdWhile: ignoreWork }
}

const ignoreWork = () => {}

export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return 'mode' in clock && clock.mode === 'virtual'
}

/**
 * How many pieces of work started by sleepers of the same move it waits for (a day's uploads): a move must end even if
 * work keeps arriving.
 */
const mostLateWork = 1_000

interface Sleeper {
  readonly dueAt: number
  /** How many moves had begun when the sleep began. */
  readonly since: number
  readonly wake: () => void
}

/** @param startMs epoch milliseconds; {@link virtualStartMs} unless given */
export function createVirtualClock(startMs: number = virtualStartMs): VirtualClock {
  let now = startMs
  /** The total time passed; setting the clock back does not reduce it. */
  let passedMs = 0
  let moves: Promise<void> = Promise.resolve()
  let moveCount = 0
  const sleepers: Sleeper[] = []
  const work = new Set<Promise<unknown>>()

  /** @returns how many pieces of work it waited for */
  const presentWork = async () => {
    const present = [...work]
    await Promise.all(present)
    return present.length
  }

  const wake = async (count: number) => {
    for (const sleeper of sleepers.splice(0, count)) sleeper.wake()
    // Lets every ready promise continuation run, however long the chain.
    await nextTurn()
  }

  const reach = (instant: number) => {
    passedMs += Math.max(instant - now, 0)
    now = instant
  }

  const wakeDue = async (until: number) => {
    moveCount += 1
    let patience = mostLateWork
    for (let next = sleepers[0]; next !== undefined && next.dueAt <= until; next = sleepers[0]) {
      const { dueAt, since } = next
      reach(Math.max(now, dueAt))
      if (since < moveCount) {
        await wake(1)
        await presentWork()
      } else if (patience > 0) {
        await wake(1)
        patience -= await presentWork()
      } else {
        // All of one instant at once: new ones may come faster than they wake one by one.
        await wake(sleepers.findLastIndex((other) => other.dueAt === dueAt) + 1)
      }
    }
    // Before the last wait: sleeps that begin during it start from this instant and are not due in this move.
    reach(until)
    if (patience > 0) await presentWork()
    // A program that moves the clock in a loop must not starve the event loop.
    await nextTurn()
  }

  // One move at a time: overlapping moves would wake sleepers out of order.
  const move = (target: () => number) => {
    moves = moves.then(() => wakeDue(target()))
    return moves
  }

  const advance = async (ms: number) => {
    if (!(ms >= 0)) throw new OutOfRangeError(`A clock advances by zero or more milliseconds, not by ${ms}`)
    await move(() => now + ms)
  }

  return {
    mode: 'virtual',
    now: () => now,
    monotonic: () => passedMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (!(ms > 0)) return resolve()
        const abort = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          reject(signal?.reason)
        }
        const wake = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const sleeper = { dueAt: now + ms, since: moveCount, wake }
        // Searched from the end, because most new sleepers are the last to wake.
        const before = sleepers.findLastIndex((other) => other.dueAt <= sleeper.dueAt)
        sleepers.splice(before + 1, 0, sleeper)
        signal?.addEventListener('abort', abort, { once: true })
      }),
    pass: advance,
    holdWhile(promise) {
      const done: Promise<boolean> = promise.then(
        () => work.delete(done),
        () => work.delete(done),
      )
      work.add(done)
    },
    advance,
    async set(epochMs) {
      if (!Number.isFinite(epochMs))
        throw new OutOfRangeError(`A clock is set to epoch milliseconds, not to ${epochMs}`)
      await move(() => epochMs)
    },
  }
}

/** By the global timer at the time of the call: tests that fake the global timers expect this clock to follow them. */
function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
