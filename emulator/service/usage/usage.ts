import { endpoints } from '../../../src/protocol/endpoints.ts'
import type { RequestRecord } from '../../storage/record-types.ts'
import { type BarSpan, barSpans, type UsageRange } from './usage-bars.ts'

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
    /** The most frequent first. */
    rows: [...rows.values()].sort(byCount),
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

function byCount(one: UsageRow, other: UsageRow): number {
  return (
    other.count - one.count ||
    compare(one.endpoint ?? '~', other.endpoint ?? '~') ||
    compare(one.method, other.method) ||
    one.status - other.status
  )
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
