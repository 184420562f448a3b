import type { ChargeView } from './charges.ts'
import { DRIFT } from './service-clock.ts'

/** A service may count in whole seconds and with both ends of its window: then a charge counts for a second longer. */
export const COARSEST_SECOND_MS = 1_050

/** How much longer than its length a window is taken to be: a second, and what clocks drift apart by meanwhile. */
export function marginMs(lengthMs: number): number {
  return COARSEST_SECOND_MS + lengthMs * DRIFT
}

/** Units of a window that may count at an instant. */
export function loggedUnits(charges: ChargeView, lengthMs: number, at: number): number {
  return charges.after(at - lengthMs - marginMs(lengthMs))
}

/**
 * When at most `room` units are left in a window that forgets every charge its length later. Windows that forget
 * sooner, all at once or bit by bit, have room by then as well.
 */
export function logFitsAt(charges: ChargeView, lengthMs: number, room: number): number {
  const last = charges.lastBeyond(room)
  return last === undefined ? Number.NEGATIVE_INFINITY : last + lengthMs + marginMs(lengthMs)
}
