import { type ChargeView, COARSEST_SECOND_MS } from '../charges.ts'
import { type ClockOffset, DRIFT } from '../clock-offset.ts'

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
  return fitsAtAll(window, now, (period) => fadedAt(period, window.lengthMs, room))
}

/** When an aligned window holds at most `room` units; `now` or later. */
export function alignedFitsAt(window: ClockWindow, room: number, now: number): number {
  return fitsAtAll(window, now, ({ present, latest }) => (present > room ? latest + window.lengthMs : now))
}

/** When there is room in each period that may have begun by then. */
function fitsAtAll(window: ClockWindow, now: number, fitsAt: (period: Period) => number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const period = periodOf(window, index)
    if (period.earliest > at) return at
    at = Math.max(at, fitsAt(period))
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

/** The first period that may not have ended. */
function firstPeriod({ lengthMs, offset }: ClockWindow, now: number): number {
  return Math.floor((now + offset.least) / lengthMs)
}

/**
 * A period, which begins between two instants of this machine's clock.
 * @returns the most units charged in it, and in the one before it, too
 */
function periodOf({ charges, lengthMs, offset }: ClockWindow, index: number) {
  const earliest = index * lengthMs - offset.most
  const latest = index * lengthMs - offset.least
  const present = charges.after(earliest)
  return { earliest, latest, present, before: charges.after(earliest - lengthMs) - present }
}

type Period = ReturnType<typeof periodOf>

/** When a period's units and the share of the previous ones leave room; at the latest when the period ends. */
function fadedAt({ earliest, latest, present, before }: Period, lengthMs: number, room: number): number {
  if (present + before <= room) return earliest
  if (present > room) return latest + lengthMs
  return Math.ceil(latest + lengthMs - (lengthMs * (room - present)) / before)
}

/** @param limit the present limit, in units */
export function createTokenBucketBound(limit: () => number, lengthMs: number) {
  const unitsPerMs = () => (limit() / lengthMs) * (1 - DRIFT)
  let missing = 0
  let asOf = Number.NEGATIVE_INFINITY

  return {
    /** Charges may come in any order; one dated later is regained later. */
    charge(at: number, units: number) {
      const sinceMs = Math.max(at - asOf, 0)
      missing = Math.max(missing - sinceMs * unitsPerMs(), 0) + units
      asOf = Math.max(asOf, at)
    },
    /** When at most `room` units are missing. */
    fitsAt(room: number) {
      if (missing <= room) return Number.NEGATIVE_INFINITY
      return Math.ceil(asOf + (missing - room) / unitsPerMs() + COARSEST_SECOND_MS)
    },
    /** This machine's clock was set back. */
    clampTo(now: number) {
      asOf = Math.min(asOf, now)
    },
  }
}

/** The most units that can be missing from a token bucket, which regains its limit evenly over the window's length. */
export type TokenBucketBound = ReturnType<typeof createTokenBucketBound>
