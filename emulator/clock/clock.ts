import timers from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OutOfRangeError } from '../../src/checks/coded-error.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import { EmulatorError } from '../emulator-error.ts'
import { reportStandstill, type SleepWatch, watchSleeps } from './standstill.ts'

/** The service's time. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode
  /**
   * Lets `ms` milliseconds pass during a request: waits for the system clock, moves a virtual one, so that a delayed
   * answer (spec 8.3) never hangs on a clock that stands still.
   */
  pass(ms: number, signal?: AbortSignal): Promise<void>
  /** As `sleep`, for the service's own work, such as thumbnails: a clock in the mode `auto` does not move for it. */
  sleepInBackground(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * The service handles a request from this call until the returned function is called. A clock in the mode `auto` stands
   * meanwhile, except while the request lets time pass. No effect on other clocks.
   */
  beginRequest(): () => void
  /**
   * Registers background work: a virtual clock does not move on, and a move does not end, before the work is done. The
   * work must not call `pass` or move the clock. No effect on the system clock.
   */
  holdWhile(work: Promise<unknown>): void
}

/** `system` follows the machine's clock; `virtual` stands until it is moved; `auto` also moves by itself for its sleepers. */
export type ClockMode = (typeof clockModes)[number]

/** `now` in milliseconds since 1970; absent if the clock is the system's. */
export interface ClockState {
  readonly mode: ClockMode
  readonly now?: number | undefined
}

export const clockModes = ['system', 'virtual', 'auto'] as const

export function isClockMode(value: unknown): value is ClockMode {
  return clockModes.some((mode) => mode === value)
}

/** The machine's clock. */
export function createSystemClock(): EmulatorClock {
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms > 0) await systemClock.sleep(ms, signal)
    signal?.throwIfAborted()
  }
  return adoptClock({ now: () => Date.now(), monotonic: () => performance.now(), sleep })
}

/** Adapts a clock of the caller's; the clock of another emulator stays itself. */
export function adoptClock(clock: Clock): EmulatorClock {
  if ('sleepInBackground' in clock) return clock as EmulatorClock
  const sleep = (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal)
  const monotonic = clock.monotonic && { monotonic: () => clock.monotonic?.() ?? clock.now() }
  return {
    mode: 'system',
    now: () => clock.now(),
    ...monotonic,
    sleep,
    pass: sleep,
    sleepInBackground: sleep,
    beginRequest: () => ignore,
    holdWhile: ignore,
  }
}

const ignore = () => {}

/** Captured on load: a test that fakes the global timers changes neither. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = timers

/** Calls a function after `ms` milliseconds of real time, unless the process ends before. @returns stops the timer */
export function afterRealTime(ms: number, run: () => void): () => void {
  const timer = startTimer(run, ms)
  timer.unref()
  return () => stopTimer(timer)
}

/** A clock that can be moved unless its mode is `system`; in that mode `advance` and `set` throw. */
export interface MovableClock extends EmulatorClock {
  /**
   * Moves forward by `ms` milliseconds. Due sleepers wake in the order of their due times; each runs on, with `now()`
   * at its own due time, before the next one wakes.
   * @throws RangeError if `ms` is negative or not a number
   */
  advance(ms: number): Promise<void>
  /** Moves to an instant in epoch milliseconds. Moving back wakes no sleeper and keeps their due times. */
  set(epochMs: number): Promise<void>
}

/** Stands still until it is moved. */
export interface VirtualClock extends MovableClock {
  readonly mode: 'virtual'
}

/** The default start of a virtual clock: 2026-01-15T12:00:00Z. */
export const virtualStartMs = Date.UTC(2026, 0, 15, 12)

/**
 * A clock that only `advance` and `set` move. Once a sleep on it has lasted a second of real time, it says so on stderr.
 * @param startMs epoch milliseconds; {@link virtualStartMs} unless given
 */
export function createVirtualClock(startMs?: number): VirtualClock {
  const position = () => (timeline.awaited() === undefined ? undefined : timeline.now())
  const watch = watchSleeps({ position, onStandstill: reportStandstill, later: afterRealTime })
  const timeline: Timeline = new Timeline(startMs, watch)
  return timeline
}

/** The latest instant that a Date can hold. */
const lastInstant = 8.64e15

interface Sleeper {
  readonly dueAt: number
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
    const end = () => this.#work.delete(done)
    const done: Promise<boolean> = promise.then(end, end)
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
      const sleeper = { dueAt: this.#now + ms, isBackground, wake }
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
    for (let next = this.#sleepers[0]; next !== undefined && next.dueAt <= until; next = this.#sleepers[0]) {
      this.#reach(Math.max(this.#now, next.dueAt))
      this.#sleepers.shift()
      next.wake()
      // Lets every ready promise continuation run, however long the chain.
      await nextTurn()
      await this.#presentWork()
    }
    // Before the last wait: sleeps that begin during it start from this instant and are not due in this move.
    this.#reach(until)
    await this.#presentWork()
    // A program that moves the clock in a loop must not starve the event loop.
    await nextTurn()
  }

  #reach(instant: number): void {
    this.#passedMs += Math.max(instant - this.#now, 0)
    this.#now = instant
  }

  async #presentWork(): Promise<void> {
    await Promise.all(this.#work)
  }
}

/** The abort reason of sleeps on a clock that has been replaced. */
const switched = Symbol('switched')

type Wait = 'sleep' | 'pass' | 'sleepInBackground'

/** The emulator's own clock, whose mode is switched at run time. Its functions may be called without their object. */
export class SwitchableClock implements MovableClock {
  readonly #system = createSystemClock()
  #mode: ClockMode
  #timeline: Timeline
  /** Monotonic time spent on earlier clocks, less what the inner clock had counted when it took over. */
  #behindMs = 0
  readonly #naps = new Map<AbortController, Wait>()
  readonly #moves = new AutoMoves(() => (this.#mode === 'auto' ? this.#timeline : undefined))
  readonly #lookAtSleeps: () => void

  /** @param watch how to tell that a client sleeps on the clock while it stands; default: a line on stderr after a second */
  constructor(mode: ClockMode, watch: Partial<Pick<SleepWatch, 'onStandstill' | 'later'>> = {}) {
    this.#mode = mode
    this.#timeline = new Timeline(undefined, this.#look)
    const isAwaited = () => this.#mode === 'virtual' && this.#timeline.awaited() !== undefined
    const position = () => (isAwaited() ? this.#timeline.now() : undefined)
    this.#lookAtSleeps = watchSleeps({ onStandstill: reportStandstill, later: afterRealTime, ...watch, position })
  }

  /** A sleep has begun, or the mode was switched. */
  readonly #look = (): void => {
    this.#moves.consider()
    this.#lookAtSleeps()
  }

  get mode(): ClockMode {
    return this.#mode
  }

  get #inner(): EmulatorClock {
    return this.#mode === 'system' ? this.#system : this.#timeline
  }

  readonly now = (): number => this.#inner.now()
  readonly monotonic = (): number => this.#behindMs + this.#innerMs()
  readonly sleep = (ms: number, signal?: AbortSignal) => this.#wait('sleep', ms, signal)
  readonly pass = (ms: number, signal?: AbortSignal) => this.#wait('pass', ms, signal)
  readonly sleepInBackground = (ms: number, signal?: AbortSignal) => this.#wait('sleepInBackground', ms, signal)
  readonly beginRequest = () => this.#moves.beginRequest()
  readonly holdWhile = (work: Promise<unknown>) => this.#timeline.holdWhile(work)
  readonly advance = async (ms: number) => this.#movable().advance(ms)
  readonly set = async (epochMs: number) => this.#movable().set(epochMs)

  /**
   * Switched from `system`, the clock keeps the present time. Switched to `system`, it jumps to the system's time, and
   * sleepers that are due wake in order.
   */
  readonly switchTo = async (next: ClockMode): Promise<void> => {
    if (next === this.#mode) return
    if (this.#mode !== 'system' && next !== 'system') {
      this.#mode = next
      // A delayed answer moves a virtual clock, and sleeps on one that moves by itself.
      this.#restart('pass')
      return this.#look()
    }
    const isBehind = this.#timeline.now() < this.#system.now()
    if (next === 'system' && isBehind) await this.#timeline.set(this.#system.now())
    const passedMs = this.#behindMs + this.#innerMs()
    if (next !== 'system') this.#timeline = new Timeline(this.#system.now(), this.#look)
    this.#mode = next
    this.#behindMs = passedMs - this.#innerMs()
    this.#restart('sleep', 'pass', 'sleepInBackground')
  }

  #innerMs(): number {
    return this.#inner.monotonic?.() ?? this.#inner.now()
  }

  #movable(): Timeline {
    if (this.#mode !== 'system') return this.#timeline
    throw new EmulatorError('clock-not-virtual', 'The clock follows the system clock and cannot be moved')
  }

  async #wait(how: Wait, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const dueAt = this.now() + ms
    for (let left = ms; ; left = dueAt - this.now()) {
      signal?.throwIfAborted()
      if (left <= 0 || (await this.#nap(how, left, signal))) return
    }
  }

  /** @returns false if the clock was switched before the time was over */
  async #nap(how: Wait, ms: number, signal: AbortSignal | undefined): Promise<boolean> {
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#naps.set(ending, how)
    try {
      const isMovedByItself = how === 'pass' && this.#mode === 'auto'
      if (isMovedByItself) await this.#moves.waitInRequest(() => this.#timeline.sleep(ms, ending.signal))
      else await this.#inner[how](ms, ending.signal)
      return true
    } catch (reason) {
      if (reason === switched) return false
      throw reason
    } finally {
      this.#naps.delete(ending)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Waits of these kinds begin again, for the rest of their time, by the present mode. */
  #restart(...kinds: readonly Wait[]): void {
    for (const [ending, how] of this.#naps) if (kinds.includes(how)) ending.abort(switched)
  }
}

export function isSwitchableClock(clock: EmulatorClock): clock is SwitchableClock {
  return 'switchTo' in clock
}

export function isMovableClock(clock: EmulatorClock): clock is MovableClock {
  return clock.mode !== 'system' && 'advance' in clock
}

/**
 * The timeline moves only after so many turns of the event loop without a change (about half a millisecond), so that a
 * program finishes what it does between two sleeps first.
 */
const quietTurns = 100

/**
 * How long file work under way holds the timeline back, in milliseconds of real time; a pipe without a writer would hold it
 * for ever.
 */
const longestHoldMs = 1_000

/**
 * Moves a timeline by itself, in the mode `auto`: to the earliest instant that a sleeper waits for, once no request is
 * being handled and the program has nothing else to do.
 */
class AutoMoves {
  readonly #movable: () => Timeline | undefined
  #handled = 0
  #changes = 0
  #isWatching = false
  /** Work has held the timeline back for too long, and has not ended since. */
  #isHeldTooLong = false

  /** @param movable the timeline; undefined while it must not be moved */
  constructor(movable: () => Timeline | undefined) {
    this.#movable = movable
  }

  #awaited(): number | undefined {
    return this.#handled > 0 ? undefined : this.#movable()?.awaited()
  }

  /** Whether the system is at work for this program: reads a file, looks up a name. */
  #isHeld(): boolean {
    const isAtWork = process.getActiveResourcesInfo?.().some((resource) => resource.includes('Req')) ?? false
    if (!isAtWork) this.#isHeldTooLong = false
    return isAtWork && !this.#isHeldTooLong
  }

  /** @returns false as soon as nothing is awaited any more */
  async #becameQuiet(): Promise<boolean> {
    const stop = afterRealTime(longestHoldMs, () => {
      this.#isHeldTooLong = true
    })
    try {
      let seen = this.#changes
      for (let turns = 0; turns < quietTurns; turns += 1) {
        await nextTurn()
        if (this.#awaited() === undefined) return false
        if (seen !== this.#changes || (turns === quietTurns - 1 && this.#isHeld())) turns = 0
        seen = this.#changes
      }
      return true
    } finally {
      stop()
    }
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    while (await this.#becameQuiet()) await this.#movable()?.advanceTo(this.#awaited() ?? 0)
    this.#isWatching = false
  }

  /** Something has changed: a sleep has begun, or the mode was switched. */
  consider(): void {
    this.#changes += 1
    if (!this.#isWatching && this.#awaited() !== undefined) void this.#watch()
  }

  /** A request is being handled until the returned function is called; the timeline is not moved meanwhile. */
  beginRequest(): () => void {
    this.#handled += 1
    this.#changes += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#handled -= 1
      this.consider()
    }
  }

  /** Waits during a request, which is not being handled until the wait is over. */
  async waitInRequest(wait: () => Promise<void>): Promise<void> {
    this.#handled -= 1
    try {
      await wait()
    } finally {
      this.#handled += 1
      this.#changes += 1
    }
  }
}
