import type { ChargeView } from '../charges.ts'
import type { ClockOffset } from '../service-clock.ts'

/**
 * A window that follows the clock. Where its periods begin is known as well as the service's clock is; of all that is
 * possible, the worst is assumed. The counter is the one kind that remembers longer than its length: units of the clock's
 * present period, and of the period before the share that a window ending now would still reach.
 */
export interface ClockWindow {
  readonly charges: ChargeView
  readonly lengthMs: number
  readonly offset: ClockOffset
}

/** When the counter has come down to `room` units, at `now` or later. */
export function counterFitsAt(window: ClockWindow, room: number, now: number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const period = periodOf(window, index)
    if (period.earliest > at) return at
    at = Math.max(at, fadedAt(period, window.lengthMs, room))
  }
}

/** When the clock's period has at most `room` units, should nothing of the period before count; at `now` or later. */
export function alignedFitsAt(window: ClockWindow, room: number, now: number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const { earliest, latest, present } = periodOf(window, index)
    if (earliest > at) return at
    if (present > room) at = Math.max(at, latest + window.lengthMs)
  }
}

/** The most units that the counter may have shown at an instant. */
export function countedUnits(window: ClockWindow, at: number): number {
  let most = 0
  for (let index = firstPeriod(window, at); ; index += 1) {
    const { earliest, latest, present, before } = periodOf(window, index)
    if (earliest > at) return Math.ceil(most)
    most = Math.max(most, present + before * Math.min((latest + window.lengthMs - at) / window.lengthMs, 1))
  }
}

interface Period {
  /** When it begins by this machine's clock: between these two. */
  readonly earliest: number
  readonly latest: number
  /** Units charged in it, and in the one before: at most. */
  readonly present: number
  readonly before: number
}

/** The first period that may not have ended by then. */
function firstPeriod({ lengthMs, offset }: ClockWindow, now: number): number {
  return Math.floor((now + offset.least) / lengthMs)
}

function periodOf({ charges, lengthMs, offset }: ClockWindow, index: number): Period {
  const earliest = index * lengthMs - offset.most
  const latest = index * lengthMs - offset.least
  const present = charges.after(earliest)
  return { earliest, latest, present, before: charges.after(earliest - lengthMs) - present }
}

/** When a period's own units and the share of those before it leave room; its end at the latest. */
function fadedAt({ earliest, latest, present, before }: Period, lengthMs: number, room: number): number {
  if (present + before <= room) return earliest
  if (present > room) return latest + lengthMs
  return Math.ceil(latest + lengthMs - (lengthMs * (room - present)) / before)
}
