import type { RequestLog } from '../storage/request-log.ts'
import { queryPart, type RequestQuery } from './request-query.ts'

export interface RequestFollowing {
  readonly query: RequestQuery
  /** The last number that the reader has, and the era it was in; undefined: the present one. */
  readonly after: number
  readonly era: number | undefined
}

/** A page keeps so many rows. */
const mostRows = 200
/** A full log drops requests all the time. How many of the rest match is counted again after so many looks. */
const looksPerCount = 20

/**
 * What happened to the log since the last call. Of many requests at once a reader gets the newest, as many as a page
 * keeps, and how many are missing: a fast run costs little here and in the page.
 * @throws TypeError saying what a field of the filter takes
 */
export function requestNews(log: RequestLog, following: RequestFollowing) {
  const { query, era = log.state().era } = following
  queryPart(query, log)
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  let last = following.after
  let told = ''
  let matched = 0
  let counted = { looks: 0, dropped: -1 }

  /** How many requests of the filter the log has, of how many. */
  const count = ({ kept, dropped }: ReturnType<RequestLog['state']>, fresh: number) => {
    const isDue = counted.dropped === -1 || counted.looks >= looksPerCount
    if (isDue && isFiltered && counted.dropped !== dropped) {
      matched = log.sum(queryPart(query, log)).count
      counted = { looks: 0, dropped }
    } else {
      matched += fresh
      counted = { ...counted, looks: counted.looks + 1 }
    }
    return { matched: isFiltered ? Math.min(matched, kept) : kept, kept, dropped }
  }

  /** The newest as many as a page keeps, and how many have come. */
  const since = (number: number) => {
    const part = { ...queryPart(query, log), after: number }
    const requests = log.select({ ...part, limit: mostRows })
    return { requests, fresh: requests.length < mostRows ? requests.length : log.sum(part).count }
  }

  return () => {
    const state = log.state()
    // Deleted requests make everything that came before worthless: this is the log's era now.
    const isReset = state.era !== era || last > state.last
    const { requests, fresh } = isReset || state.last === last ? { requests: [], fresh: 0 } : since(last)
    if (!isReset) last = state.last
    const tally = isReset ? undefined : count(state, fresh)
    const isSame = JSON.stringify(tally) === told
    told = JSON.stringify(tally) ?? ''
    return {
      /** The newest that match, oldest first, as many as a page keeps. */
      requests,
      /** How many more have come since the last look. */
      missed: fresh - requests.length,
      /** Undefined if it is as it was. */
      tally: isSame ? undefined : tally,
      reset: isReset ? state.era : undefined,
    }
  }
}

export type RequestNews = ReturnType<ReturnType<typeof requestNews>>
export type RequestTally = NonNullable<RequestNews['tally']>
