import type { ClockMode } from '../../clock.ts'
import type { ClockControl, ClockInfo } from '../clock-control.ts'

/** What the clock is told; several are done in this order. */
interface ClockBody {
  readonly mode?: ClockMode
  readonly set?: number | string
  readonly advance?: number | string
}

const names = ['mode', 'set', 'advance']

/** @throws TypeError where nothing is asked for, or something there is not */
export async function moveClock(clock: ClockControl, body: ClockBody): Promise<ClockInfo> {
  const unknown = Object.keys(body).find((name) => !names.includes(name))
  if (unknown !== undefined || Object.keys(body).length === 0) {
    const problem = unknown === undefined ? 'The body says nothing' : `There is no field ${JSON.stringify(unknown)}`
    throw new TypeError(`${problem}; there are ${names.join(', ')}`)
  }
  if (body.mode !== undefined) await clock.switchTo(body.mode)
  if (body.set !== undefined) await clock.set(body.set)
  if (body.advance !== undefined) await clock.advance(body.advance)
  return clock.get()
}
