import { type WindowName, windowLengthMs } from '../../src/protocol/rate-limits.ts'
import type { WindowUse } from '../storage/record-store.ts'

/** A window that begins with the first charge and ends its length later, whatever happens in between. */
export interface OpenWindow {
  readonly units: number
  /** The first instant that no longer belongs to it, in epoch milliseconds. */
  readonly endsAt: number
}

/** The window that is open now, or undefined where the last one has ended or none ever began. */
export function openWindow(name: WindowName, use: WindowUse | undefined, now: number): OpenWindow | undefined {
  // A window from the future is what a clock that was set back leaves behind.
  if (use === undefined || now < use.startedAt) return undefined
  const endsAt = use.startedAt + windowLengthMs[name]
  return now < endsAt ? { units: use.units, endsAt } : undefined
}

/** The window after a charge: the open one with more in it, or a new one. */
export function charged(open: OpenWindow | undefined, name: WindowName, cost: number, now: number): WindowUse {
  if (open === undefined) return { startedAt: now, units: cost }
  return { startedAt: open.endsAt - windowLengthMs[name], units: open.units + cost }
}
