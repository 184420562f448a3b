import { invalidValue, OutOfRangeError, quoted } from '../../src/checks/coded-error.ts'
import { anything, type KindsOf } from '../../src/checks/values.ts'
import { readDuration } from '../../src/protocol/quantities.ts'
import {
  type ClockMode,
  type EmulatorClock,
  isClockMode,
  isMovableClock,
  isSwitchableClock,
  type MovableClock,
  type SwitchableClock,
} from '../clock/clock.ts'
import { ConflictError } from '../emulator-error.ts'
import { readAt, readFields } from '../values/reading.ts'
import { instant, isUsableInstant } from '../values/value-type.ts'

export interface ClockInfo {
  /** ISO 8601, UTC. */
  readonly now: string
  readonly mode: ClockMode
}

/** Changes to the clock. */
export interface ClockChanges {
  readonly mode?: ClockMode
  readonly set?: number | string
  readonly advance?: number | string
}

const changeFields = { mode: anything, set: anything, advance: anything } satisfies KindsOf<ClockChanges>

export function createClockControl(clock: EmulatorClock) {
  const get = () => ({ now: new Date(clock.now()).toISOString(), mode: clock.mode })
  /** Makes all changes, in this order, or none: what would be refused after others are made is checked before them. */
  const change = async (changes: ClockChanges): Promise<ClockInfo> => {
    const { mode, set, advance } = changes
    if (mode !== undefined) checkMode(mode, changes)
    const setTo = set === undefined ? clock.now() : usable(instantOf(set), set)
    const ms = advance === undefined ? 0 : durationOf(advance)
    if (advance !== undefined) usable(setTo + ms, advance)
    if (mode !== undefined && mode !== clock.mode) await switchable(clock).switchTo(mode)
    if (set !== undefined) await movable(clock).set(setTo)
    if (advance !== undefined) await movable(clock).advance(ms)
    return get()
  }
  return {
    get,
    /**
     * @param duration milliseconds, or text with a unit: `500ms`, `60s`, `5m`, `1h`, `1d`
     * @throws TypeError if it is not a duration; ConflictError if the clock follows the system clock
     */
    advance: (duration: number | string): Promise<ClockInfo> => change({ advance: duration }),
    /**
     * @param instant ISO 8601, or epoch milliseconds
     * @throws TypeError if it is not an instant; ConflictError if the clock follows the system clock
     */
    set: (instant: number | string): Promise<ClockInfo> => change({ set: instant }),
    /**
     * Switched to `virtual`, the clock stands at the present; switched to `auto`, it also moves by itself for clients that
     * sleep on it; switched to `system`, it jumps to the system's time.
     * @throws TypeError if there is no such mode; ConflictError if the caller gave the emulator its clock
     */
    switchTo: (mode: ClockMode): Promise<ClockInfo> => change({ mode }),
    /**
     * Changes that came as JSON, made in the order mode, set, advance: all or none.
     * @throws TypeError if there is none, or a field is unknown; otherwise as the calls for each
     */
    async change(changes: ClockChanges): Promise<ClockInfo> {
      if (Object.keys(readFields(changes, changeFields)).length === 0) throw invalidValue('Give mode, set or advance')
      // A number would be milliseconds in a typed call, and seconds to most readers of JSON.
      if (typeof changes.advance === 'number') throw withoutUnit(changes.advance)
      return change(changes)
    },
  }
}

/** Every call but `get` answers after everything that was due has happened. */
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
function withoutUnit(duration: number | string): TypeError {
  return invalidValue(`${quoted(duration)} has no unit: write 60s, 500ms, 5m, 1h or 1d`)
}

function checkMode(mode: ClockMode, { set, advance }: ClockChanges): void {
  if (!isClockMode(mode)) throw invalidValue(`The mode is system, virtual or auto, but got ${quoted(mode)}`)
  if (mode !== 'system' || (set === undefined && advance === undefined)) return
  const advice = 'leave out set and advance'
  throw new ConflictError('clock-not-virtual', `A clock that follows the system clock cannot be moved: ${advice}`)
}

/** @returns epoch milliseconds; @throws TypeError if a text is not an instant */
function instantOf(given: number | string): number {
  return typeof given === 'string' ? readAt(instant, given, 'The clock') : given
}

/** @throws TypeError if the clock cannot stand at this instant, quoting the value given */
function usable(epochMs: number, given: unknown): number {
  if (isUsableInstant(epochMs)) return epochMs
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
