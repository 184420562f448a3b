import { type ClockMode, createSystemClock, createVirtualClock, type EmulatorClock, isVirtualClock } from './clock.ts'

/** A clock that follows the system's or stands still until it is moved, and changes from one to the other. */
export interface SwitchableClock extends EmulatorClock {
  /**
   * Lets go of the system's time, or takes it up again. A clock that goes virtual stands at the present; one that goes
   * back to the system's time jumps to it, and sleepers that fall due by that wake in their order.
   */
  switchTo(mode: ClockMode): Promise<void>
  /** As a virtual clock's. @throws Error while the clock follows the system's */
  advance(ms: number): Promise<void>
  /** As a virtual clock's. @throws Error while the clock follows the system's */
  set(epochMs: number): Promise<void>
}

/** Ends a nap on a clock that is no longer the one in use. */
const switched = Symbol('switched')

export function createSwitchableClock(mode: ClockMode): SwitchableClock {
  let inner: EmulatorClock = mode === 'system' ? createSystemClock() : createVirtualClock()
  /** What the clock in use is behind the time that has passed in all. */
  let behindMs = 0
  const naps = new Set<AbortController>()

  /** @returns false where the clock was switched before the time was over */
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
    throw new Error('The clock follows the system’s and cannot be moved')
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
