import type { LoggedRequest } from '../../storage/records.ts'

/** The most rows that the page gets at once and keeps. */
export const mostRows = 200

/** What the page knows of the log; nothing here touches the page. */
export interface LogState {
  /** The number of the newest request that came. */
  readonly last: number
  /** Rows that are not shown yet, oldest first; the newest of them, as many as the page keeps. */
  readonly waiting: readonly LoggedRequest[]
  /** How many are not shown, those that came too fast for a row included. */
  readonly unseen: number
  /** Whether requests are missing between the rows shown and those that wait. */
  readonly hasGap: boolean
  /** Why nothing is shown for now. */
  readonly holds: readonly Hold[]
  readonly isConnected: boolean
  /** As many other pages have a stream as may: this one asks again and again. */
  readonly isPolling: boolean
  /** The connection has ended as it should, until the next time. */
  readonly isResting: boolean
}

/** The reader has scrolled down, marks text, or reads one request. */
export type Hold = 'scrolled' | 'marking' | 'reading'

export type Happening =
  | { readonly kind: 'connected' | 'polling' | 'lost' | 'shown' }
  | { readonly kind: 'hold' | 'release'; readonly hold: Hold }
  | { readonly kind: 'missed'; readonly count: number }
  | { readonly kind: 'row'; readonly request: LoggedRequest }

export function logState(last: number): LogState {
  const connection = { isConnected: false, isPolling: false, isResting: false }
  return { last, waiting: [], unseen: 0, hasGap: false, holds: [], ...connection }
}

export function afterwards(state: LogState, happening: Happening): LogState {
  switch (happening.kind) {
    case 'connected':
      return { ...state, isConnected: true, isPolling: false, isResting: false }
    case 'polling':
      return { ...state, isPolling: true, isResting: true }
    case 'lost':
      return { ...state, isConnected: state.isResting, isResting: false }
    case 'hold':
      return { ...state, holds: [...new Set([...state.holds, happening.hold])] }
    case 'release':
      return { ...state, holds: state.holds.filter((hold) => hold !== happening.hold) }
    case 'missed':
      return { ...state, waiting: [], unseen: state.unseen + happening.count, hasGap: true }
    case 'shown':
      return { ...state, waiting: [], unseen: 0, hasGap: false }
    case 'row':
      return withRow(state, happening.request)
  }
}

/** A stream that begins again may repeat what has come. */
function withRow(state: LogState, request: LoggedRequest): LogState {
  const { number } = request
  if (number <= state.last) return state
  const waiting = [...state.waiting, request]
  return {
    ...state,
    last: number,
    waiting: waiting.slice(-mostRows),
    unseen: state.unseen + 1,
    hasGap: state.hasGap || waiting.length > mostRows,
  }
}

/** Whether rows that wait are to be shown without being asked for. */
export function isFlowing({ holds }: LogState): boolean {
  return holds.length === 0
}

export function stateWords(state: LogState): string {
  if (!state.isConnected) return 'Reconnecting'
  if (isFlowing(state)) return state.isPolling ? 'Every 2 s, because 50 other streams are open' : 'Live'
  return state.unseen === 0 ? 'Paused' : `Paused, ${state.unseen} new`
}
