import type { LoggedRequest } from '../../storage/record-types.ts'

/** The most rows that the page asks for at once and keeps. */
export const mostRows = 200

/** What the page knows of the log. */
export interface LogState {
  /** Newest first. */
  readonly rows: readonly LoggedRequest[]
  /** Rows that are not shown yet, oldest first; the newest of them, as many as the page keeps. */
  readonly waiting: readonly LoggedRequest[]
  /** How many are not shown, those that no longer wait included. */
  readonly unseen: number
  /** Whether requests are missing between the rows shown and those that wait. */
  readonly hasGap: boolean
  /** Whether the log has requests older than the rows shown, as far as the page knows. */
  readonly hasOlder: boolean
  /** Whether a reader is at the rows, which must not move. */
  readonly isPaused: boolean
  /** `refused`: the filter is wrong. */
  readonly connection: 'none' | 'refused' | 'live'
}

const nothingKnown = { rows: [], waiting: [], unseen: 0, hasGap: false, hasOlder: false } as const

export const emptyLog: LogState = { ...nothingKnown, isPaused: false, connection: 'none' }

/** What was shown of the log is worth nothing any more. */
export const forgotten = (log: LogState): LogState => ({ ...log, ...nothingKnown })

export const lost = (log: LogState): LogState => ({ ...log, connection: 'none' })

export const refused = (log: LogState): LogState => ({ ...log, connection: 'refused' })

export const isListed = ({ connection }: LogState): boolean => connection === 'live'

const newestOf = ({ waiting, rows }: LogState) => waiting.at(-1) ?? rows[0]

/** Whether a request is of another log than those shown: the emulator was reset, and its numbers begin at 1 again. */
export const isFromAnotherLog = (log: LogState, { number }: LoggedRequest): boolean =>
  number <= (newestOf(log)?.number ?? 0)

/**
 * @param listed the newest requests, oldest first: they follow what is known if its newest is among them, and take its
 * place if not
 */
export function connected(log: LogState, listed: readonly LoggedRequest[]): LogState {
  const newest = JSON.stringify(newestOf(log))
  const at = listed.findIndex((request) => JSON.stringify(request) === newest)
  if (at !== -1) return listed.slice(at + 1).reduce(withRow, { ...log, connection: 'live' })
  return { ...forgotten(log), connection: 'live', rows: [...listed].reverse(), hasOlder: listed.length === mostRows }
}

export function withRow(log: LogState, request: LoggedRequest): LogState {
  const all = [...log.waiting, request]
  const hasGap = log.hasGap || all.length > mostRows
  return { ...log, waiting: all.slice(-mostRows), unseen: log.unseen + 1, hasGap }
}

/** Puts older requests below the others. @param requests oldest first */
export const withOlder = (log: LogState, requests: readonly LoggedRequest[], hasOlder: boolean): LogState => ({
  ...log,
  rows: [...log.rows, ...[...requests].reverse()],
  hasOlder,
})

/** Shows what waits. */
export function allShown(log: LogState): LogState {
  const all = [...[...log.waiting].reverse(), ...(log.hasGap ? [] : log.rows)]
  const rows = log.waiting.length === 0 ? log.rows : all.slice(0, mostRows)
  const hasOlder = log.hasOlder || log.hasGap || all.length > mostRows
  return { ...log, rows, waiting: [], unseen: 0, hasGap: false, hasOlder }
}

/** Shows what waits unless it would move under a reader. */
export function settled(log: LogState, isPaused: boolean): LogState {
  if (log.waiting.length > 0 && !isPaused) return { ...allShown(log), isPaused }
  return isPaused === log.isPaused ? log : { ...log, isPaused }
}

export function stateWords({ connection, isPaused, unseen }: LogState): string {
  if (connection === 'none') return 'Reconnecting'
  if (connection === 'refused') return 'Wrong filter'
  if (isPaused) return unseen === 0 ? 'Paused' : `Paused, ${unseen} new`
  return 'Live'
}
