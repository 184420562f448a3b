import type { LoggedRequest } from '../../storage/record-types.ts'

/** The most requests that the page asks for at once. */
export const mostRows = 200

type Requests = readonly LoggedRequest[]

/** What the page knows of the log. */
export interface LogState {
  /** The newest requests, newest first; the same list as long as they are the same. */
  readonly latest: Requests
  /** What is shown: a list of the newest, and older ones that were asked for. */
  readonly rows: Requests
  /** The list of the newest that the rows begin with. */
  readonly taken: Requests
  /** Whether the log has requests older than the rows, as far as the page knows. */
  readonly hasOlder: boolean
  /** Whether a reader is at the rows, which must not move. */
  readonly isPaused: boolean
  /** `refused`: the filter is wrong. */
  readonly connection: 'none' | 'refused' | 'live'
}

const nothing: Requests = []
const nothingKnown = { latest: nothing, rows: nothing, taken: nothing, hasOlder: false }

export const emptyLog: LogState = { ...nothingKnown, isPaused: false, connection: 'none' }

/** Of what another filter matches nothing is known. */
export const forgotten = (log: LogState): LogState => ({ ...log, ...nothingKnown })

export const lost = (log: LogState): LogState => ({ ...log, connection: 'none' })

export const refused = (log: LogState): LogState => ({ ...log, connection: 'refused' })

/** @param requests the newest, oldest first. What is known among them stays the same value, so that it is not drawn again. */
export function listed(log: LogState, requests: Requests): LogState {
  const known = new Map(log.latest.map((request) => [JSON.stringify(request), request]))
  const latest = [...requests].reverse().map((request) => known.get(JSON.stringify(request)) ?? request)
  const isSame = latest.length === log.latest.length && latest.every((request, at) => request === log.latest[at])
  return { ...log, connection: 'live', latest: isSame ? log.latest : latest }
}

/** Puts older requests below the others. @param requests oldest first */
export const withOlder = (log: LogState, requests: Requests, hasOlder: boolean): LogState => ({
  ...log,
  rows: [...log.rows, ...[...requests].reverse()],
  hasOlder,
})

export function allShown(log: LogState): LogState {
  const { latest } = log
  return { ...log, rows: latest, taken: latest, hasOlder: latest.length === mostRows }
}

/** Shows the newest unless they would move under a reader; of a log that was begun again, they are all there is. */
export function settled(log: LogState, isPaused: boolean): LogState {
  const [shown] = log.rows
  const isOver = shown === undefined || (log.latest[0]?.number ?? 0) < shown.number
  if (log.latest !== log.taken && (isOver || !isPaused)) return { ...allShown(log), isPaused }
  return isPaused === log.isPaused ? log : { ...log, isPaused }
}

/** How many new requests are not shown, in words; empty if there are none. */
export function unseenText({ latest, rows }: LogState): string {
  const count = latest.filter(({ number }) => number > (rows[0]?.number ?? 0)).length
  if (count === 0) return ''
  return count < mostRows ? `${count} new` : `${count} or more new`
}

export function stateWords(log: LogState): string {
  if (log.connection === 'none') return 'Reconnecting'
  if (log.connection === 'refused') return 'Wrong filter'
  if (!log.isPaused) return 'Live'
  const unseen = unseenText(log)
  return unseen === '' ? 'Paused' : `Paused, ${unseen}`
}
