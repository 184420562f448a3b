import type { ChargeView } from './charges.ts'
import { DRIFT } from './clock-offset.ts'

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
