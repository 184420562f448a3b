import { steppedWindow } from './stepped-window.ts'
import type { Moment } from './window-kind.ts'

/** Begins and ends with the minutes, hours and days of the clock, in UTC. */
export const alignedWindow = steppedWindow('aligned', periodStart)

/** When the clock's present period of a window's length began. */
export function periodStart({ now, lengthMs }: Pick<Moment, 'now' | 'lengthMs'>): number {
  return Math.floor(now / lengthMs) * lengthMs
}
