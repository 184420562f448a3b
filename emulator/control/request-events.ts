import type { NumberedRequest, RequestJournal } from './request-journal.ts'
import { queryTest, type RequestQuery } from './request-query.ts'

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
export function requestNews(journal: RequestJournal, following: RequestFollowing) {
  const { query, era: known } = following
  const matches = queryTest(query, journal)
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  const began = journal.look()
  const era = known ?? began.era
  let last = following.after
  let told = ''
  let matched = 0
  let counted = { looks: 0, dropped: -1 }

  /** How many requests of the filter the log has, of how many. */
  const count = ({ kept, dropped }: typeof began, fresh: number) => {
    const isDue = counted.dropped === -1 || counted.looks >= looksPerCount
    if (isDue && isFiltered && counted.dropped !== dropped) {
      matched = journal.all().reduce((sum, request) => sum + (matches(request) ? 1 : 0), 0)
      counted = { looks: 0, dropped }
    } else {
      matched += fresh
      counted = { ...counted, looks: counted.looks + 1 }
    }
    return { matched: isFiltered ? Math.min(matched, kept) : kept, kept, dropped }
  }

  /** Without a filter no others are looked at: each page that is opened would cost as much as the log is long. */
  const newest = (end: number) => {
    const found: NumberedRequest[] = []
    let fresh = 0
    for (const entry of journal.before(Number.POSITIVE_INFINITY)) {
      if (entry[0] <= last) break
      if (!isFiltered && found.length === mostRows) {
        fresh = Math.min(end - last, journal.all().length)
        break
      }
      if (!matches(entry[1])) continue
      fresh += 1
      if (found.length < mostRows) found.push(entry)
    }
    return { found: found.reverse(), fresh }
  }

  return () => {
    const state = journal.look()
    // Deleted requests make everything that came before worthless: this is the log's era now.
    const isReset = state.era !== era || last > state.last
    const { found, fresh } = isReset ? { found: [], fresh: 0 } : newest(state.last)
    if (!isReset) last = state.last
    const tally = isReset ? undefined : count(state, fresh)
    const isSame = JSON.stringify(tally) === told
    told = JSON.stringify(tally) ?? ''
    return {
      /** The newest that match, oldest first, as many as a page keeps. */
      requests: found,
      /** How many more have come since the last look. */
      missed: fresh - found.length,
      /** Undefined if it is as it was. */
      tally: isSame ? undefined : tally,
      reset: isReset ? state.era : undefined,
    }
  }
}

export type RequestNews = ReturnType<ReturnType<typeof requestNews>>
export type RequestTally = NonNullable<RequestNews['tally']>
