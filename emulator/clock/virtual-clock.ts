import { setImmediate as nextTurn } from 'node:timers/promises'
import { OutOfRangeError } from '../../src/checks/coded-error.ts'
import type { EmulatorClock } from './clock.ts'
import { tellStandstill, watchSleeps } from './standing.ts'

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

/** A virtual clock that can be asked what it is waited for. */
export interface Timeline extends VirtualClock {
  /**
   * The earliest instant for which a sleeper waits, the service's own work excepted; undefined if there is none, and for a
   * sleep that never ends.
   */
  awaited(): number | undefined
  /** Moves forward to an instant; does nothing if the clock is past it when its turn comes. */
  advanceTo(epochMs: number): Promise<void>
}

export interface TimelineOptions {
  /** Epoch milliseconds; {@link virtualStartMs} unless given. */
  readonly startMs?: number
  /** Called whenever a sleep begins, the service's own work excepted. */
  readonly onSleep?: () => void
}

/** The default start of a virtual clock: 2026-01-15T12:00:00Z. */
export const virtualStartMs = Date.UTC(2026, 0, 15, 12)

/**
 * A clock that only `advance` and `set` move. Once a sleep on it has lasted a second of real time, it says so on stderr.
 * @param startMs epoch milliseconds; {@link virtualStartMs} unless given
 */
export function createVirtualClock(startMs: number = virtualStartMs): VirtualClock {
  const position = () => (timeline.awaited() === undefined ? undefined : timeline.now())
  const timeline = createTimeline({ startMs, onSleep: watchSleeps({ position, onStandstill: tellStandstill }) })
  return timeline
}

/**
 * How many pieces of work started by sleepers of the same move it waits for (a day's uploads): a move must end even if
 * work keeps arriving.
 */
const mostLateWork = 1_000

/** The latest instant that a Date can hold. */
const lastInstant = 8.64e15

interface Sleeper {
  readonly dueAt: number
  /** How many moves had begun when the sleep began. */
  readonly since: number
  readonly isBackground: boolean
  readonly wake: () => void
}

export function createTimeline({ startMs = virtualStartMs, onSleep = () => {} }: TimelineOptions = {}): Timeline {
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

  const sleep = (ms: number, signal: AbortSignal | undefined, isBackground: boolean): Promise<void> =>
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
      const sleeper = { dueAt: now + ms, since: moveCount, isBackground, wake }
      // Searched from the end, because most new sleepers are the last to wake.
      const before = sleepers.findLastIndex((other) => other.dueAt <= sleeper.dueAt)
      sleepers.splice(before + 1, 0, sleeper)
      signal?.addEventListener('abort', abort, { once: true })
      if (!isBackground) onSleep()
    })

  return {
    mode: 'virtual',
    now: () => now,
    monotonic: () => passedMs,
    sleep: (ms, signal) => sleep(ms, signal, false),
    sleepInBackground: (ms, signal) => sleep(ms, signal, true),
    pass: advance,
    beginRequest: () => () => {},
    holdWhile(promise) {
      const done: Promise<boolean> = promise.then(
        () => work.delete(done),
        () => work.delete(done),
      )
      work.add(done)
    },
    advance,
    async advanceTo(epochMs) {
      await move(() => Math.max(now, epochMs))
    },
    async set(epochMs) {
      if (!Number.isFinite(epochMs))
        throw new OutOfRangeError(`A clock is set to epoch milliseconds, not to ${epochMs}`)
      await move(() => epochMs)
    },
    awaited() {
      const first = sleepers.find(({ isBackground }) => !isBackground)
      return first !== undefined && first.dueAt <= lastInstant ? first.dueAt : undefined
    },
  }
}
