import type { ChargeView } from '../charges.ts'
import type { ClockOffset } from '../clock-offset.ts'

/**
 * A window that follows the service's clock, which is known within `offset`: of all possible phases the worst is assumed.
 * A sliding counter remembers longer than its length. It counts the units of the clock's present period, and the share
 * of the previous period's units that a window ending now still overlaps.
 */
export interface ClockWindow {
  readonly charges: ChargeView
  readonly lengthMs: number
  readonly offset: ClockOffset
}

/** When a sliding counter holds at most `room` units; `now` or later. */
export function counterFitsAt(window: ClockWindow, room: number, now: number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const period = periodOf(window, index)
    if (period.earliest > at) return at
    at = Math.max(at, fadedAt(period, window.lengthMs, room))
  }
}

/** When an aligned window holds at most `room` units; `now` or later. */
export function alignedFitsAt(window: ClockWindow, room: number, now: number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const { earliest, latest, present } = periodOf(window, index)
    if (earliest > at) return at
    if (present > room) at = Math.max(at, latest + window.lengthMs)
  }
}

/** The most units that a sliding counter may have held at an instant. */
export function countedUnits(window: ClockWindow, at: number): number {
  let most = 0
  for (let index = firstPeriod(window, at); ; index += 1) {
    const { earliest, latest, present, before } = periodOf(window, index)
    if (earliest > at) return Math.ceil(most)
    most = Math.max(most, present + before * Math.min((latest + window.lengthMs - at) / window.lengthMs, 1))
  }
}

interface Period {
  /** It begins between these two instants of this machine's clock. */
  readonly earliest: number
  readonly latest: number
  /** The most units charged in it, and in the one before it. */
  readonly present: number
  readonly before: number
}

/** The first period that may not have ended. */
function firstPeriod({ lengthMs, offset }: ClockWindow, now: number): number {
  return Math.floor((now + offset.least) / lengthMs)
}

function periodOf({ charges, lengthMs, offset }: ClockWindow, index: number): Period {
  const earliest = index * lengthMs - offset.most
  const latest = index * lengthMs - offset.least
  const present = charges.after(earliest)
  return { earliest, latest, present, before: charges.after(earliest - lengthMs) - present }
}

/** When a period's units and the share of the previous ones leave room; at the latest when the period ends. */
function fadedAt({ earliest, latest, present, before }: Period, lengthMs: number, room: number): number {
  if (present + before <= room) return earliest
  if (present > room) return latest + lengthMs
  return Math.ceil(latest + lengthMs - (lengthMs * (room - present)) / before)
}
