import { offsetAt } from '../../values/offset-date-time.ts'

/** A span of the chart; `until` is the next bar's start. Epoch milliseconds. */
export interface BarSpan {
  readonly from: number
  readonly until: number
}

export const usageRanges = ['24h', '7d', '30d'] as const

export type UsageRange = (typeof usageRanges)[number]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * The spans of a chart's bars, oldest first; `now` is in the last one. 24 hours are 24 bars, 7 days 28 bars of six hours
 * and 30 days 30 bars.
 *
 * Bars begin with the hour, the quarter of a day or the day of the zone's wall clock. A day of 23 or 25 hours makes one
 * bar shorter or longer and moves no other.
 */
export function barSpans(range: UsageRange, now: number, timeZone: string): readonly BarSpan[] {
  const starts = range === '24h' ? hourStarts(now, timeZone) : wallStarts(range, now, timeZone)
  return starts.slice(1).map((until, index) => ({ from: starts[index] ?? until, until }))
}

/** Hours are counted in real time: the hour that a clock shows twice is two bars. */
function hourStarts(now: number, timeZone: string): readonly number[] {
  const offset = offsetMs(now, timeZone)
  const last = floorTo(now + offset, hourMs) - offset
  return Array.from({ length: 25 }, (_, index) => last + (index - 23) * hourMs)
}

function wallStarts(range: '7d' | '30d', now: number, timeZone: string): readonly number[] {
  const [length, count] = range === '7d' ? [dayMs / 4, 28] : [dayMs, 30]
  const last = floorTo(now + offsetMs(now, timeZone), length)
  return Array.from({ length: count + 1 }, (_, index) => instantOf(last + (index + 1 - count) * length, timeZone))
}

/**
 * The first instant at which a zone's wall clock shows a time or, if the clock skips it, a later one.
 * @param wall that time as if the zone were UTC
 */
function instantOf(wall: number, timeZone: string): number {
  const before = wall - offsetMs(wall - dayMs, timeZone)
  const after = wall - offsetMs(wall + dayMs, timeZone)
  const shown = [before, after].filter((instant) => instant + offsetMs(instant, timeZone) === wall)
  // A skipped time, counted by the offset before the change, is just behind it.
  return shown.length === 0 ? before : Math.min(...shown)
}

function offsetMs(instant: number, timeZone: string): number {
  return offsetAt(instant, timeZone) * 60_000
}

function floorTo(value: number, unit: number): number {
  return Math.floor(value / unit) * unit
}
