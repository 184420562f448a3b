import timers from 'node:timers'
import { type Clock, systemClock } from '../../src/clock.ts'

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
   * The earliest instant for which a client sleeps, in epoch milliseconds; undefined if there is none. Absent from clocks
   * that do not know.
   */
  awaited?(): number | undefined
  /**
   * The service handles a request from this call until the returned function is called. A clock in the mode `auto` stands
   * meanwhile, except while the request lets time pass. No effect on other clocks.
   */
  beginRequest(): () => void
  /**
   * Registers background work: a virtual clock does not move on, and a move does not end, before the work is done
   * (or, if work keeps arriving, before {@link mostLateWork} pieces are). The work must not call `pass` or move the
   * clock. No effect on the system clock.
   */
  holdWhile(work: Promise<unknown>): void
}

/** `system` follows the machine's clock; `virtual` stands until it is moved; `auto` also moves by itself for its sleepers. */
export type ClockMode = (typeof clockModes)[number]

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
  if (isEmulatorClock(clock)) return clock
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

function isEmulatorClock(clock: Clock): clock is EmulatorClock {
  return 'sleepInBackground' in clock
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
