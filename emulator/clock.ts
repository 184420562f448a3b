import type { Clock } from '../src/clock.ts'
import { nextTurn } from './next-turn.ts'

/** The service's time: a {@link Clock} that can also let the service itself take its time. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode
  /**
   * Lets `ms` milliseconds pass: the system's clock is waited for, a virtual one moves itself, so that a delayed
   * answer (spec 8.3) never hangs on a clock that stands still.
   */
  pass(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Counts background work as part of the present: a virtual clock stands still until it is done, and a move ends only
   * then; of work that comes faster than it is done, it waits for a good part. The work must not let time pass itself.
   * The system's time goes on regardless.
   */
  holdWhile(work: Promise<unknown>): void
}

export type ClockMode = 'system' | 'virtual'

/** A clock that stands still until it is moved. */
export interface VirtualClock extends EmulatorClock {
  readonly mode: 'virtual'
  /**
   * Moves forward by `ms` milliseconds. Sleepers that fall due wake in the order of their due times, each running on
   * before the next one wakes, and seeing its own due time as the present.
   * @throws RangeError where `ms` is negative or no number
   */
  advance(ms: number): Promise<void>
  /** Moves to an instant in epoch milliseconds; set back, it wakes nobody, and sleepers wait for their due times. */
  set(epochMs: number): Promise<void>
}

/** Where a virtual clock stands unless it is told otherwise: 2026-01-15T12:00:00Z. */
export const virtualStartMs = Date.UTC(2026, 0, 15, 12)

/** Node's timers fire at once beyond 2^31 - 1 ms, so longer sleeps are taken in steps of at most this. */
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
    holdWhile: goOnRegardless,
  }
}

/** Makes the service run on a clock it was given; one that can be moved counts as virtual. */
export function adoptClock(clock: Clock): EmulatorClock {
  if (isVirtualClock(clock)) return clock
  const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal)
  const monotonic = clock.monotonic && { monotonic: () => clock.monotonic?.() ?? clock.now() }
  return { mode: 'system', now: () => clock.now(), ...monotonic, sleep, pass: sleep, holdWhile: goOnRegardless }
}

const goOnRegardless = () => {}

export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return 'mode' in clock && clock.mode === 'virtual'
}

/**
 * So much work of those who fell asleep while a move was under way holds it up, a day's uploads: it has to end even where
 * work comes faster than it is done.
 */
const mostLateWork = 1_000

interface Sleeper {
  readonly dueAt: number
  /** The last move that had begun when it fell asleep, counted from 1. */
  readonly since: number
  readonly wake: () => void
}

/** @param startMs epoch milliseconds; {@link virtualStartMs} unless given */
export function createVirtualClock(startMs: number = virtualStartMs): VirtualClock {
  let now = startMs
  /** All the time that has passed; setting the clock back takes none of it away. */
  let passedMs = 0
  let moves: Promise<void> = Promise.resolve()
  let moveCount = 0
  const sleepers: Sleeper[] = []
  const work = new Set<Promise<unknown>>()

  /** @returns how many pieces of work it was */
  const presentWork = async () => {
    const present = [...work]
    await Promise.all(present)
    return present.length
  }

  const wake = async (count: number) => {
    for (const sleeper of sleepers.splice(0, count)) sleeper.wake()
    // However long the chain of continuations.
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
        // All of one instant: they may come faster than they are woken one by one.
        await wake(sleepers.findLastIndex((other) => other.dueAt === dueAt) + 1)
      }
    }
    // Before the last wait: what begins meanwhile is of this instant, and does not fall due by it.
    reach(until)
    if (patience > 0) await presentWork()
    // Whoever moves the clock until something has happened must not keep it from happening.
    await nextTurn()
  }

  // One move at a time: two overlapping moves would otherwise wake sleepers out of order.
  const move = (target: () => number) => {
    moves = moves.then(() => wakeDue(target()))
    return moves
  }

  const advance = async (ms: number) => {
    if (!(ms >= 0)) throw new RangeError(`A clock advances by zero or more milliseconds, not by ${ms}`)
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
        // Most sleepers wake after all others.
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
      if (!Number.isFinite(epochMs)) throw new RangeError(`A clock is set to epoch milliseconds, not to ${epochMs}`)
      await move(() => epochMs)
    },
  }
}

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
