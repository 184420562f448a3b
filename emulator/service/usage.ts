import { endpoints } from '../../src/protocol/endpoints.ts'
import type { RequestRecord } from '../storage/record-types.ts'
import { offsetAt } from '../values/offset-date-time.ts'

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

/** How a request ended: status below 400, 429, other 4xx, or 5xx. */
export type UsageClass = (typeof usageClasses)[number]

export const usageClasses = ['ok', 'clientError', 'limited', 'serverError'] as const

export type UsageCounts = Readonly<Record<UsageClass, number>>

export interface UsageBar extends BarSpan {
  readonly counts: UsageCounts
}

export interface UsageRow {
  readonly method: string
  /** Such as `/api/uploads/{slug}`; null for paths that the service does not have. */
  readonly endpoint: string | null
  readonly status: number
  readonly count: number
}

export interface UsageQuestion {
  readonly range: UsageRange
  /** Epoch milliseconds. */
  readonly now: number
  /** An IANA name. */
  readonly timezone: string
  /** How many of the account's requests the log has dropped. */
  readonly dropped?: number
}

export type LoggedCall = Pick<RequestRecord, 'at' | 'method' | 'endpoint' | 'status'>

/** Counts requests of one account by time, outcome and endpoint. Requests of the future do not count: a test may set the clock back. */
export function usageOf(requests: readonly LoggedCall[], { range, now, timezone, dropped = 0 }: UsageQuestion) {
  const spans = barSpans(range, now, timezone)
  const starts = spans.map(({ from }) => from)
  const first = starts[0] ?? now
  const counts = spans.map(() => zeroCounts())
  const totals = zeroCounts()
  const rows = new Map<string, { -readonly [Field in keyof UsageRow]: UsageRow[Field] }>()
  let oldest = Number.POSITIVE_INFINITY
  for (const { at, method, endpoint, status } of requests) {
    oldest = Math.min(oldest, at)
    if (at < first || at > now) continue
    const outcome = classOf(status)
    totals[outcome] += 1
    const bar = counts[barOf(starts, at)]
    if (bar !== undefined) bar[outcome] += 1
    const shown = shownEndpoint(endpoint)
    const key = `${status} ${method} ${shown}`
    const row = rows.get(key)
    if (row === undefined) rows.set(key, { method, endpoint: shown, status, count: 1 })
    else row.count += 1
  }
  return {
    range,
    /** Oldest first. */
    bars: spans.map((span, index): UsageBar => ({ ...span, counts: counts[index] ?? zeroCounts() })),
    totals,
    /** The most frequent first, then that which came first. */
    rows: [...rows.values()].sort((one, other) => other.count - one.count),
    /** Whether the log has dropped requests that may belong into this span. */
    isIncomplete: dropped > 0 && oldest > first,
  }
}

/** An account's requests in a span of time. */
export type Usage = ReturnType<typeof usageOf>

export function sumOf(counts: UsageCounts): number {
  return usageClasses.reduce((sum, name) => sum + counts[name], 0)
}

function zeroCounts(): Record<UsageClass, number> {
  return { ok: 0, clientError: 0, limited: 0, serverError: 0 }
}

export function classOf(status: number): UsageClass {
  if (status === 429) return 'limited'
  if (status >= 500) return 'serverError'
  return status >= 400 ? 'clientError' : 'ok'
}

/** The last bar that begins at or before an instant. */
function barOf(starts: readonly number[], at: number): number {
  let bar = starts.length - 1
  while (bar > 0 && (starts[bar] ?? at) > at) bar -= 1
  return bar
}

const paths: ReadonlySet<string> = new Set(Object.values(endpoints).map(({ path }) => path))

const slugPath = endpoints.show.path
const slugPrefix = slugPath.slice(0, slugPath.indexOf('{'))

/** The endpoint's path with `{slug}` for every slug; slashes at the end do not matter to the service. */
function shownEndpoint(path: string): string | null {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  const plain = path.slice(0, end)
  if (paths.has(plain)) return plain
  const isUpload = plain.startsWith(slugPrefix) && !plain.includes('/', slugPrefix.length)
  return isUpload ? slugPath : null
}
