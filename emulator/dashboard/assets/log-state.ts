import type { LoggedRequest } from '../../storage/records.ts'

/** The most rows that the page gets at once and keeps. */
const mostRows = 200

/** What the page knows of the log; nothing here touches the page. */
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
  /** Why nothing is shown for now: the reader has scrolled down, marks text, or reads one request. */
  readonly holds: readonly Hold[]
  /** `polling`: as many other pages have a stream as may. Its connections end as they should: it is `resting` then. */
  readonly connection: 'none' | 'live' | 'polling' | 'resting'
}

export type Hold = 'scrolled' | 'marking' | 'reading'

export type Happening =
  | { readonly kind: 'polling' | 'lost' | 'shown' | 'forgotten' }
  | { readonly kind: 'connected'; readonly last?: number }
  | { readonly kind: 'hold' | 'release'; readonly hold: Hold }
  | { readonly kind: 'missed'; readonly count: number }
  | { readonly kind: 'row'; readonly request: LoggedRequest }
  | { readonly kind: 'older'; readonly requests: readonly LoggedRequest[] }

const nothingKnown = { rows: [], last: 0, openedAt: 0, waiting: [], unseen: 0, hasGap: false } as const

export function logState(last: number): LogState {
  return { ...nothingKnown, last, holds: [], connection: 'none' }
}

export function afterwards(state: LogState, happening: Happening): LogState {
  return { ...state, ...changeOf(state, happening) }
}

function changeOf(state: LogState, happening: Happening): Partial<LogState> {
  const { holds, last, rows, waiting, unseen, connection, hasGap } = state
  switch (happening.kind) {
    case 'connected':
      return { connection: 'live', ...(last === 0 && { openedAt: happening.last ?? 0 }) }
    case 'polling':
      return { connection: 'polling' }
    case 'lost':
      return { connection: connection === 'polling' ? 'resting' : 'none' }
    case 'hold':
      return { holds: [...new Set([...holds, happening.hold])] }
    case 'release':
      return { holds: holds.filter((hold) => hold !== happening.hold) }
    case 'missed':
      return last === 0 ? {} : { waiting: [], unseen: unseen + happening.count, hasGap: true }
    case 'row':
      return withRow(state, happening.request)
    case 'shown': {
      const all = [...[...waiting].reverse(), ...(hasGap ? [] : rows)]
      return { rows: waiting.length === 0 ? rows : all.slice(0, mostRows), waiting: [], unseen: 0, hasGap: false }
    }
    case 'older':
      return { rows: [...rows, ...happening.requests] }
    case 'forgotten':
      return nothingKnown
  }
}

/** A stream that begins again may repeat what has come. */
function withRow({ last, waiting, unseen, hasGap }: LogState, request: LoggedRequest): Partial<LogState> {
  if (request.number <= last) return {}
  const all = [...waiting, request]
  const isTooMuch = all.length > mostRows
  return { last: request.number, waiting: all.slice(-mostRows), unseen: unseen + 1, hasGap: hasGap || isTooMuch }
}

/** Whether rows that wait are to be shown without being asked for. */
export function isFlowing({ holds }: LogState): boolean {
  return holds.length === 0
}

export function stateWords({ connection, holds, unseen }: LogState): string {
  if (connection === 'none') return 'Reconnecting'
  if (holds.length > 0) return unseen === 0 ? 'Paused' : `Paused, ${unseen} new`
  return connection === 'live' ? 'Live' : 'Every 2 s, because 50 other streams are open'
}
