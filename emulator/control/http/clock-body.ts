import type { ClockMode } from '../../clock.ts'
import { quoted } from '../../values/quoted.ts'
import { type ClockControl, type ClockInfo, durationOf, instantOf, refuseOutOfTime } from '../clock-control.ts'
import { ConflictError } from '../conflict-error.ts'

/** What the clock is told; several are done in this order. */
interface ClockBody {
  readonly mode?: ClockMode
  readonly set?: number | string
  readonly advance?: number | string
}

const names = ['mode', 'set', 'advance']

/**
 * Does all of it, or nothing.
 * @throws TypeError where nothing is asked for, or something there is not; ConflictError as of {@link ClockControl}
 */
export async function moveClock(clock: ClockControl, body: ClockBody): Promise<ClockInfo> {
  const unknown = Object.keys(body).find((name) => !names.includes(name))
  if (unknown !== undefined || Object.keys(body).length === 0) {
    const problem = unknown === undefined ? 'The body says nothing' : `There is no field ${quoted(unknown)}`
    throw new TypeError(`${problem}; there are ${names.join(', ')}`)
  }
  refuseHalfMeasures(clock.get(), body)
  if (body.mode !== undefined) await clock.switchTo(body.mode)
  if (body.set !== undefined) await clock.set(body.set)
  if (body.advance !== undefined) await clock.advance(body.advance)
  return clock.get()
}

/** Looks ahead to what a later part would be refused for, when an earlier one was done already. */
function refuseHalfMeasures({ now }: ClockInfo, { mode, set, advance }: ClockBody): void {
  if (set === undefined && advance === undefined) return
  if (mode === 'system') {
    throw new ConflictError(
      'clock-not-virtual',
      'A clock that follows the system’s cannot be moved: leave out set and advance',
    )
  }
  const from = set === undefined ? Date.parse(now) : instantOf(set)
  if (set !== undefined) refuseOutOfTime(from, set)
  if (advance !== undefined) refuseOutOfTime(from + durationOf(advance), advance)
}
