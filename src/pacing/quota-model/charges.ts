import { DRIFT } from './clock-offset.ts'

/** Charges by date, in units and epoch milliseconds. Both questions take logarithmic time. */
export interface ChargeView {
  /** Units charged after an instant. */
  after(instant: number): number
  /** Date of the last charge that must be forgotten so that at most so many units are left; undefined if none must. */
  lastBeyond(units: number): number | undefined
}

/** Forgetting moves every entry that is left, so it waits until at least so many can go. */
const WORTH_FORGETTING = 512

export function createCharges() {
  const instants: number[] = []
  /** The sum of units up to and including each charge. */
  let totals: number[] = []

  const total = () => totals.at(-1) ?? 0
  const totalBefore = (index: number) => totals[index - 1] ?? 0

  return {
    add(at: number, units: number) {
      // Nearly every charge is the latest so far: then only the end is looked at.
      const index = at >= (instants.at(-1) ?? at) ? instants.length : firstIndex(instants, (instant) => instant > at)
      instants.splice(index, 0, at)
      totals.splice(index, 0, totalBefore(index))
      for (let later = index; later < totals.length; later += 1) totals[later] = (totals[later] ?? 0) + units
    },
    after: (instant: number) => total() - totalBefore(firstIndex(instants, (at) => at > instant)),
    lastBeyond(units: number) {
      if (total() <= units) return undefined
      return instants[firstIndex(totals, (upTo) => total() - upTo <= units)]
    },
    /** Redates later charges to `now`: the clock was set back. */
    clampTo(now: number) {
      for (let index = instants.length - 1; (instants[index] ?? now) > now; index -= 1) instants[index] = now
    },
    /** Forgets charges up to an instant. */
    forget(upTo: number) {
      if ((instants[WORTH_FORGETTING - 1] ?? Number.POSITIVE_INFINITY) > upTo) return
      const count = firstIndex(instants, (at) => at > upTo)
      const forgotten = totalBefore(count)
      instants.splice(0, count)
      totals = totals.slice(count).map((upTo) => upTo - forgotten)
    },
  }
}

/** The first index whose value passes a test that all later values pass too; the length if none does. */
function firstIndex(values: readonly number[], passes: (value: number) => boolean): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (passes(values[middle] ?? 0)) high = middle
    else low = middle + 1
  }
  return low
}

/** A service that counts in whole seconds and includes both ends of its window keeps a charge a second longer. */
export const COARSEST_SECOND_MS = 1_050

/** How much longer than its length a window is assumed to be: a second, and the drift of two clocks over that length. */
export function marginMs(lengthMs: number): number {
  return COARSEST_SECOND_MS + lengthMs * DRIFT
}

/** Units that a window may count at an instant. */
export function loggedUnits(charges: ChargeView, lengthMs: number, at: number): number {
  return charges.after(at - lengthMs - marginMs(lengthMs))
}

/**
 * When at most `room` units are left in a window that forgets each charge one length later. Windows that forget sooner,
 * all at once or bit by bit, have room by then too.
 */
export function logFitsAt(charges: ChargeView, lengthMs: number, room: number): number {
  const last = charges.lastBeyond(room)
  return last === undefined ? Number.NEGATIVE_INFINITY : last + lengthMs + marginMs(lengthMs)
}
