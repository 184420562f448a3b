import { invalidValue } from '../../../src/checks/coded-error.ts'
import { quoted } from '../../../src/checks/quoted.ts'
import type { ClockMode } from '../../clock/clock.ts'
import {
  type ClockControl,
  type ClockInfo,
  durationOf,
  instantOf,
  refuseOutOfTime,
  withoutUnit,
} from '../clock-control.ts'
import { ConflictError } from '../conflict-error.ts'

/** Changes to the clock, made in this order. */
interface ClockBody {
  readonly mode?: ClockMode
  readonly set?: number | string
  /** A number would be milliseconds in a typed call, and seconds to most readers of JSON. */
  readonly advance?: string
}

const names = ['mode', 'set', 'advance']

/**
 * Makes all the changes or none.
 * @throws TypeError if the body is empty or has an unknown field; otherwise as {@link ClockControl}
 */
export async function moveClock(clock: ClockControl, body: ClockBody): Promise<ClockInfo> {
  const unknown = Object.keys(body).find((name) => !names.includes(name))
  if (unknown !== undefined || Object.keys(body).length === 0) {
    const problem = unknown === undefined ? 'The body has no fields' : `There is no field ${quoted(unknown)}`
    throw invalidValue(`${problem}; there are ${names.join(', ')}`)
  }
  if (typeof body.advance === 'number') throw withoutUnit(body.advance)
  checkAllChanges(clock.get(), body)
  if (body.mode !== undefined) await clock.switchTo(body.mode)
  if (body.set !== undefined) await clock.set(body.set)
  if (body.advance !== undefined) await clock.advance(body.advance)
  return clock.get()
}

/** Checks the later changes first, which would otherwise be refused after the earlier ones are made. */
function checkAllChanges({ now }: ClockInfo, { mode, set, advance }: ClockBody): void {
  if (set === undefined && advance === undefined) return
  if (mode === 'system') {
    throw new ConflictError(
      'clock-not-virtual',
      'A clock that follows the system clock cannot be moved: leave out set and advance',
    )
  }
  const from = set === undefined ? Date.parse(now) : instantOf(set)
  if (set !== undefined) refuseOutOfTime(from, set)
  if (advance !== undefined) refuseOutOfTime(from + durationOf(advance), advance)
}
