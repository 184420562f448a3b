import type { LoggedRequest } from '../../storage/record-types.ts'

/** The most rows that the page gets at once and keeps. */
const mostRows = 200

/** What the page knows of the log. */
export interface LogState {
  /** Newest first. */
  readonly rows: readonly LoggedRequest[]
  /** The number of the newest request that came. */
  readonly last: number
  /** What `last` was when the page began: requests up to it are not new. */
  readonly openedAt: number
  /** Rows that are not shown yet, oldest first; the newest of them, as many as the page keeps. */
  readonly waiting: readonly LoggedRequest[]
  /** How many are not shown, those that came too fast for a row included. */
  readonly unseen: number
  /** Whether requests are missing between the rows shown and those that wait. */
  readonly hasGap: boolean
  /** Whether a reader is at the rows, which must not move. */
  readonly isPaused: boolean
  /** `polling`: as many other pages have a stream as may. Its connections end as they should: it is `resting` then. */
  readonly connection: 'none' | 'live' | 'polling' | 'resting'
}

const nothingKnown = { rows: [], last: 0, openedAt: 0, waiting: [], unseen: 0, hasGap: false } as const

export const emptyLog: LogState = { ...nothingKnown, isPaused: false, connection: 'none' }

/** What was shown of the log is worth nothing any more. */
export const forgotten = (log: LogState): LogState => ({ ...log, ...nothingKnown })

export const connected = (log: LogState, newest: number): LogState => ({
  ...log,
  connection: 'live',
  openedAt: log.last === 0 ? newest : log.openedAt,
})

export const lost = (log: LogState): LogState => ({
  ...log,
  connection: log.connection === 'polling' ? 'resting' : 'none',
})

/** Of a burst the newest alone are sent. What came before the page is not missed. */
export const missed = (log: LogState, count: number): LogState =>
  log.last === 0 ? log : { ...log, waiting: [], unseen: log.unseen + count, hasGap: true }

/** A stream that begins again may repeat what has come. */
export function withRow(log: LogState, request: LoggedRequest): LogState {
  if (request.number <= log.last) return log
  const all = [...log.waiting, request]
  const hasGap = log.hasGap || all.length > mostRows
  return { ...log, last: request.number, waiting: all.slice(-mostRows), unseen: log.unseen + 1, hasGap }
}

/** Shows what waits. */
export function allShown(log: LogState): LogState {
  const all = [...[...log.waiting].reverse(), ...(log.hasGap ? [] : log.rows)]
  const rows = log.waiting.length === 0 ? log.rows : all.slice(0, mostRows)
  return { ...log, rows, waiting: [], unseen: 0, hasGap: false }
}

/** Shows what waits unless it would move under a reader; what the page began with, always. */
export function settled(log: LogState, isPaused: boolean): LogState {
  const isShown = log.waiting.length > 0 && (!isPaused || log.last <= log.openedAt)
  if (isShown) return { ...allShown(log), isPaused }
  return isPaused === log.isPaused ? log : { ...log, isPaused }
}

export function stateWords({ connection, isPaused, unseen }: LogState): string {
  if (connection === 'none') return 'Reconnecting'
  if (isPaused) return unseen === 0 ? 'Paused' : `Paused, ${unseen} new`
  return connection === 'live' ? 'Live' : 'Every 2 s, because 50 other streams are open'
}
