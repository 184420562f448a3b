import { EmulatorError } from '../emulator-error.ts'
import { type ClockMode, createSystemClock, createVirtualClock, type EmulatorClock, isVirtualClock } from './clock.ts'

/** The emulator's own clock: the system clock or a virtual one, switched at run time. */
export interface SwitchableClock extends EmulatorClock {
  /**
   * Switched to `virtual`, the clock keeps the present time until it is moved. Switched to `system`, it jumps to the system's time, and
   * sleepers that are due wake in order.
   */
  switchTo(mode: ClockMode): Promise<void>
  /** As {@link VirtualClock.advance}. @throws Error in the mode `system` */
  advance(ms: number): Promise<void>
  /** As {@link VirtualClock.set}. @throws Error in the mode `system` */
  set(epochMs: number): Promise<void>
}

/** The abort reason of sleeps on a clock that has been replaced. */
const switched = Symbol('switched')

export function createSwitchableClock(mode: ClockMode): SwitchableClock {
  let inner: EmulatorClock = mode === 'system' ? createSystemClock() : createVirtualClock()
  /** Monotonic time spent on earlier clocks, less what the inner clock had counted when it took over. */
  let behindMs = 0
  const naps = new Set<AbortController>()

  /** @returns false if the clock was switched before the time was over */
  const nap = async (how: 'sleep' | 'pass', ms: number, signal: AbortSignal | undefined) => {
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    naps.add(ending)
    try {
      await inner[how](ms, ending.signal)
      return true
    } catch (reason) {
      if (reason === switched) return false
      throw reason
    } finally {
      naps.delete(ending)
      signal?.removeEventListener('abort', abort)
    }
  }
  const wait = async (how: 'sleep' | 'pass', ms: number, signal: AbortSignal | undefined) => {
    const dueAt = inner.now() + ms
    for (let left = ms; ; left = dueAt - inner.now()) {
      signal?.throwIfAborted()
      if (left <= 0 || (await nap(how, left, signal))) return
    }
  }
  const innerMs = () => inner.monotonic?.() ?? inner.now()
  const movable = () => {
    if (isVirtualClock(inner)) return inner
    throw new EmulatorError('clock-not-virtual', 'The clock follows the system clock and cannot be moved')
  }

  return {
    get mode() {
      return inner.mode
    },
    now: () => inner.now(),
    monotonic: () => behindMs + innerMs(),
    sleep: (ms, signal) => wait('sleep', ms, signal),
    pass: (ms, signal) => wait('pass', ms, signal),
    holdWhile: (work) => inner.holdWhile(work),
    advance: async (ms) => movable().advance(ms),
    set: async (epochMs) => movable().set(epochMs),
    async switchTo(next) {
      if (next === inner.mode) return
      const system = createSystemClock()
      if (isVirtualClock(inner) && inner.now() < system.now()) await inner.set(system.now())
      const passedMs = behindMs + innerMs()
      inner = next === 'system' ? system : createVirtualClock(inner.now())
      behindMs = passedMs - innerMs()
      for (const ending of naps) ending.abort(switched)
    },
  }
}

export function isSwitchableClock(clock: EmulatorClock): clock is SwitchableClock {
  return 'switchTo' in clock
}
