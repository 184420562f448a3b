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

/** The default start of a virtual clock: 2026-01-15T12:00:00Z. */
export const virtualStartMs = Date.UTC(2026, 0, 15, 12)

/**
 * A clock that only `advance` and `set` move. Once a sleep on it has lasted a second of real time, it says so on stderr.
 * @param startMs epoch milliseconds; {@link virtualStartMs} unless given
 */
export function createVirtualClock(startMs: number = virtualStartMs): VirtualClock {
  const position = (): number | undefined => (timeline.awaited() === undefined ? undefined : timeline.now())
  const timeline: Timeline = new Timeline(startMs, watchSleeps({ position, onStandstill: tellStandstill }))
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

/** A virtual clock that can be asked what it is waited for. Its functions may be called without their object. */
export class Timeline implements VirtualClock {
  readonly mode = 'virtual'
  #now: number
  /** The total time passed; setting the clock back does not reduce it. */
  #passedMs = 0
  #moves: Promise<void> = Promise.resolve()
  #moveCount = 0
  /** In the order of their due times. */
  readonly #sleepers: Sleeper[] = []
  readonly #work = new Set<Promise<unknown>>()
  readonly #onSleep: () => void

  /**
   * @param startMs epoch milliseconds
   * @param onSleep called whenever a sleep begins, the service's own work excepted
   */
  constructor(startMs = virtualStartMs, onSleep = () => {}) {
    this.#now = startMs
    this.#onSleep = onSleep
  }

  readonly now = (): number => this.#now
  readonly monotonic = (): number => this.#passedMs
  readonly beginRequest = () => () => {}
  readonly sleep = (ms: number, signal?: AbortSignal) => this.#sleep(ms, signal, false)
  readonly sleepInBackground = (ms: number, signal?: AbortSignal) => this.#sleep(ms, signal, true)
  readonly pass = (ms: number) => this.advance(ms)

  readonly holdWhile = (promise: Promise<unknown>): void => {
    const done: Promise<boolean> = promise.then(
      () => this.#work.delete(done),
      () => this.#work.delete(done),
    )
    this.#work.add(done)
  }

  readonly advance = async (ms: number): Promise<void> => {
    if (!(ms >= 0)) throw new OutOfRangeError(`A clock advances by zero or more milliseconds, not by ${ms}`)
    await this.#move(() => this.#now + ms)
  }

  /** Moves forward to an instant; does nothing if the clock is past it when its turn comes. */
  readonly advanceTo = (epochMs: number): Promise<void> => this.#move(() => Math.max(this.#now, epochMs))

  readonly set = async (epochMs: number): Promise<void> => {
    if (!Number.isFinite(epochMs)) throw new OutOfRangeError(`A clock is set to epoch milliseconds, not to ${epochMs}`)
    await this.#move(() => epochMs)
  }

  /**
   * The earliest instant for which a sleeper waits, the service's own work excepted; undefined if there is none, and for a
   * sleep that never ends.
   */
  readonly awaited = (): number | undefined => {
    const first = this.#sleepers.find(({ isBackground }) => !isBackground)
    return first !== undefined && first.dueAt <= lastInstant ? first.dueAt : undefined
  }

  #sleep(ms: number, signal: AbortSignal | undefined, isBackground: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (!(ms > 0)) return resolve()
      const abort = () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
        reject(signal?.reason)
      }
      const wake = () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const sleeper = { dueAt: this.#now + ms, since: this.#moveCount, isBackground, wake }
      // Searched from the end, because most new sleepers are the last to wake.
      const before = this.#sleepers.findLastIndex((other) => other.dueAt <= sleeper.dueAt)
      this.#sleepers.splice(before + 1, 0, sleeper)
      signal?.addEventListener('abort', abort, { once: true })
      if (!isBackground) this.#onSleep()
    })
  }

  /** One move at a time: overlapping moves would wake sleepers out of order. */
  #move(target: () => number): Promise<void> {
    this.#moves = this.#moves.then(() => this.#wakeDue(target()))
    return this.#moves
  }

  async #wakeDue(until: number): Promise<void> {
    this.#moveCount += 1
    let patience = mostLateWork
    for (let next = this.#sleepers[0]; next !== undefined && next.dueAt <= until; next = this.#sleepers[0]) {
      const { dueAt, since } = next
      this.#reach(Math.max(this.#now, dueAt))
      const isLate = since >= this.#moveCount
      // All of one instant at once: new ones may come faster than they wake one by one.
      const isCrowd = isLate && patience <= 0
      await this.#wake(isCrowd ? this.#sleepers.findLastIndex((other) => other.dueAt === dueAt) + 1 : 1)
      const done = isCrowd ? 0 : await this.#presentWork()
      if (isLate) patience -= done
    }
    // Before the last wait: sleeps that begin during it start from this instant and are not due in this move.
    this.#reach(until)
    if (patience > 0) await this.#presentWork()
    // A program that moves the clock in a loop must not starve the event loop.
    await nextTurn()
  }

  #reach(instant: number): void {
    this.#passedMs += Math.max(instant - this.#now, 0)
    this.#now = instant
  }

  async #wake(count: number): Promise<void> {
    for (const sleeper of this.#sleepers.splice(0, count)) sleeper.wake()
    // Lets every ready promise continuation run, however long the chain.
    await nextTurn()
  }

  /** @returns how many pieces of work it waited for */
  async #presentWork(): Promise<number> {
    const present = [...this.#work]
    await Promise.all(present)
    return present.length
  }
}
