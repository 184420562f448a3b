import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmulatorError } from '../emulator-error.ts'
import { afterRealTime, type ClockMode, createSystemClock, type EmulatorClock } from './clock.ts'
import { type SleepWatch, tellStandstill, watchSleeps } from './standing.ts'
import { Timeline } from './virtual-clock.ts'

/** A clock that can be moved unless its mode is `system`. */
export interface MovableClock extends EmulatorClock {
  /** As {@link VirtualClock.advance}. @throws Error in the mode `system` */
  advance(ms: number): Promise<void>
  /** As {@link VirtualClock.set}. @throws Error in the mode `system` */
  set(epochMs: number): Promise<void>
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
  constructor(mode: ClockMode, watch: Pick<SleepWatch, 'onStandstill' | 'later'> = { onStandstill: tellStandstill }) {
    this.#mode = mode
    this.#timeline = new Timeline(undefined, this.#look)
    const isAwaited = () => this.#mode === 'virtual' && this.#timeline.awaited() !== undefined
    const position = () => (isAwaited() ? this.#timeline.now() : undefined)
    this.#lookAtSleeps = watchSleeps({ ...watch, position })
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
  readonly awaited = () => (this.#mode === 'system' ? undefined : this.#timeline.awaited())
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
