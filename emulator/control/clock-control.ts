import { invalidValue, OutOfRangeError } from '../../src/checks/coded-error.ts'
import { quoted } from '../../src/checks/quoted.ts'
import { readDuration } from '../../src/protocol/quantities.ts'
import { type ClockMode, type EmulatorClock, isClockMode } from '../clock/clock.ts'
import {
  isMovableClock,
  isSwitchableClock,
  type MovableClock,
  type SwitchableClock,
} from '../clock/switchable-clock.ts'
import { readAt } from '../values/reading.ts'
import { instant, isUsableInstant } from '../values/value-type.ts'
import { ConflictError } from './conflict-error.ts'
import { type ClockedService, type NextEvent, nextEvent } from './next-event.ts'

export interface ClockInfo {
  /** ISO 8601, UTC. */
  readonly now: string
  readonly mode: ClockMode
}

export function createClockControl(clock: EmulatorClock, service: ClockedService) {
  const get = () => ({ now: new Date(clock.now()).toISOString(), mode: clock.mode })
  return {
    get,
    /** The earliest of the windows that reset, the thumbnails that are due and the sleeps that end; null if there is none. */
    next: (): NextEvent | null => nextEvent(clock, service),
    /**
     * @param duration milliseconds, or text with a unit: `500ms`, `60s`, `5m`, `1h`, `1d`
     * @throws TypeError if it is not a duration; ConflictError if the clock follows the system clock
     */
    async advance(duration: number | string): Promise<ClockInfo> {
      const ms = durationOf(duration)
      refuseOutOfTime(clock.now() + ms, duration)
      await movable(clock).advance(ms)
      return get()
    },
    /**
     * @param instant ISO 8601, or epoch milliseconds
     * @throws TypeError if it is not an instant; ConflictError if the clock follows the system clock
     */
    async set(given: number | string): Promise<ClockInfo> {
      const epochMs = instantOf(given)
      refuseOutOfTime(epochMs, given)
      await movable(clock).set(epochMs)
      return get()
    },
    /**
     * Switched to `virtual`, the clock stands at the present; switched to `auto`, it also moves by itself for clients that
     * sleep on it; switched to `system`, it jumps to the system's time.
     * @throws TypeError if there is no such mode; ConflictError if the caller gave the emulator its clock
     */
    async switchTo(mode: ClockMode): Promise<ClockInfo> {
      if (!isClockMode(mode)) throw invalidValue(`The mode is system, virtual or auto, but got ${quoted(mode)}`)
      if (mode !== clock.mode) await switchable(clock).switchTo(mode)
      return get()
    },
  }
}

/** Every call but `get` and `next` answers after everything that was due has happened. */
export type ClockControl = ReturnType<typeof createClockControl>

/**
 * @returns milliseconds; NaN if the value is neither a number nor text
 * @throws TypeError if a text is not a duration; RangeError if a number is below zero
 */
export function durationOf(duration: number | string): number {
  if (typeof duration === 'string') {
    const ms = readDuration(duration)
    if (ms === undefined) throw invalidValue(`${quoted(duration)} is not a duration: write 500ms, 60s, 5m, 1h or 1d`)
    if (!/[a-z]\s*$/.test(duration)) throw withoutUnit(duration)
    return ms
  }
  if (duration < 0) throw new OutOfRangeError(`A clock advances by zero or more milliseconds, not by ${duration}`)
  return typeof duration === 'number' ? duration : Number.NaN
}

/** The refusal of a duration that could mean seconds or milliseconds. */
export function withoutUnit(duration: number | string): TypeError {
  return invalidValue(`${quoted(duration)} has no unit: write 60s, 500ms, 5m, 1h or 1d`)
}

/** @returns epoch milliseconds; @throws TypeError if a text is not an instant */
export function instantOf(given: number | string): number {
  return typeof given === 'string' ? readAt(instant, given, 'The clock') : given
}

/** @throws TypeError if the clock cannot stand at this instant, quoting the value given */
export function refuseOutOfTime(epochMs: number, given: unknown): void {
  if (isUsableInstant(epochMs)) return
  throw invalidValue(`The clock cannot be moved by or to ${quoted(given)}`)
}

function movable(clock: EmulatorClock): MovableClock {
  if (isMovableClock(clock)) return clock
  const advice = isSwitchableClock(clock)
    ? "switch it to the mode 'virtual', or create the emulator with clock 'virtual'"
    : "create the emulator with clock 'virtual'"
  throw new ConflictError('clock-not-virtual', `This clock follows the system clock and cannot be moved: ${advice}`)
}

function switchable(clock: EmulatorClock): SwitchableClock {
  if (isSwitchableClock(clock)) return clock
  const advice = "create the emulator with clock 'system', 'virtual' or 'auto'"
  throw new ConflictError('clock-not-own', `The emulator was given this clock and cannot switch it: ${advice}`)
}
