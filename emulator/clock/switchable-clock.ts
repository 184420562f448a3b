import { EmulatorError } from '../emulator-error.ts'
import { createAutoMoves } from './auto-moves.ts'
import { type ClockMode, createSystemClock, type EmulatorClock } from './clock.ts'
import { type SleepWatch, tellStandstill, watchSleeps } from './standing.ts'
import { createTimeline } from './virtual-clock.ts'

/** A clock that can be moved unless its mode is `system`. */
export interface MovableClock extends EmulatorClock {
  /** As {@link VirtualClock.advance}. @throws Error in the mode `system` */
  advance(ms: number): Promise<void>
  /** As {@link VirtualClock.set}. @throws Error in the mode `system` */
  set(epochMs: number): Promise<void>
}

/** The emulator's own clock, whose mode is switched at run time. */
export interface SwitchableClock extends MovableClock {
  /**
   * Switched from `system`, the clock keeps the present time. Switched to `system`, it jumps to the system's time, and
   * sleepers that are due wake in order.
   */
  switchTo(mode: ClockMode): Promise<void>
}

/** The abort reason of sleeps on a clock that has been replaced. */
const switched = Symbol('switched')

type Wait = 'sleep' | 'pass' | 'sleepInBackground'

/** @param watch how to tell that a client sleeps on the clock while it stands; default: a line on stderr after a second */
export function createSwitchableClock(
  initial: ClockMode,
  watch: Pick<SleepWatch, 'onStandstill' | 'later'> = { onStandstill: tellStandstill },
): SwitchableClock {
  const system = createSystemClock()
  let mode = initial
  /** Monotonic time spent on earlier clocks, less what the inner clock had counted when it took over. */
  let behindMs = 0
  const naps = new Map<AbortController, Wait>()

  const newTimeline = (startMs?: number) =>
    createTimeline({
      ...(startMs !== undefined && { startMs }),
      onSleep() {
        moves.consider()
        lookAtSleeps()
      },
    })
  let timeline = newTimeline()
  const inner = () => (mode === 'system' ? system : timeline)
  const moves = createAutoMoves(() => (mode === 'auto' ? timeline : undefined))
  const position = () => (mode === 'virtual' && timeline.awaited() !== undefined ? timeline.now() : undefined)
  const lookAtSleeps = watchSleeps({ ...watch, position })

  /** @returns false if the clock was switched before the time was over */
  const nap = async (how: Wait, ms: number, signal: AbortSignal | undefined) => {
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    naps.set(ending, how)
    try {
      if (how === 'pass' && mode === 'auto') await moves.waitInRequest(() => timeline.sleep(ms, ending.signal))
      else await inner()[how](ms, ending.signal)
      return true
    } catch (reason) {
      if (reason === switched) return false
      throw reason
    } finally {
      naps.delete(ending)
      signal?.removeEventListener('abort', abort)
    }
  }
  const wait = async (how: Wait, ms: number, signal: AbortSignal | undefined) => {
    const dueAt = inner().now() + ms
    for (let left = ms; ; left = dueAt - inner().now()) {
      signal?.throwIfAborted()
      if (left <= 0 || (await nap(how, left, signal))) return
    }
  }
  /** Waits of these kinds begin again, for the rest of their time, by the present mode. */
  const restart = (...kinds: readonly Wait[]) => {
    for (const [ending, how] of naps) if (kinds.includes(how)) ending.abort(switched)
  }
  const innerMs = () => inner().monotonic?.() ?? inner().now()
  const movable = () => {
    if (mode !== 'system') return timeline
    throw new EmulatorError('clock-not-virtual', 'The clock follows the system clock and cannot be moved')
  }

  return {
    get mode() {
      return mode
    },
    now: () => inner().now(),
    monotonic: () => behindMs + innerMs(),
    sleep: (ms, signal) => wait('sleep', ms, signal),
    pass: (ms, signal) => wait('pass', ms, signal),
    sleepInBackground: (ms, signal) => wait('sleepInBackground', ms, signal),
    awaited: () => (mode === 'system' ? undefined : timeline.awaited()),
    beginRequest: moves.beginRequest,
    holdWhile: (work) => timeline.holdWhile(work),
    advance: async (ms) => movable().advance(ms),
    set: async (epochMs) => movable().set(epochMs),
    async switchTo(next) {
      if (next === mode) return
      if (mode !== 'system' && next !== 'system') {
        mode = next
        // A delayed answer moves a virtual clock, and sleeps on one that moves by itself.
        restart('pass')
        moves.consider()
        lookAtSleeps()
        return
      }
      if (next === 'system' && timeline.now() < system.now()) await timeline.set(system.now())
      const passedMs = behindMs + innerMs()
      if (next !== 'system') timeline = newTimeline(system.now())
      mode = next
      behindMs = passedMs - innerMs()
      restart('sleep', 'pass', 'sleepInBackground')
    },
  }
}

export function isSwitchableClock(clock: EmulatorClock): clock is SwitchableClock {
  return 'switchTo' in clock
}

export function isMovableClock(clock: EmulatorClock): clock is MovableClock {
  return clock.mode !== 'system' && 'advance' in clock
}
