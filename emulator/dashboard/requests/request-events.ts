import type { NumberedRequest, RequestJournal } from '../../control/request-journal.ts'
import type { RequestRecord } from '../../storage/records.ts'
import type { View } from '../section.ts'
import { serverSentEvent } from '../server-sent-event.ts'
import { type ListFilter, readListFilter } from './filter.ts'
import { mostRows } from './most-rows.ts'
import { lookAt, requestRow } from './row.ts'
import { tallyText } from './tally.ts'

/** What happened to the log since the last call, as events. */
export interface RequestEvents {
  next(): { readonly text: string; readonly rows: number; readonly isOver: boolean }
}

/** A full log drops requests all the time. How many of the rest match is counted again after so many looks. */
const looksPerCount = 20

/**
 * Rows of the requests that match the page's filter, from a number on. Of many at once the page gets the newest, as many
 * as it keeps, and how many are missing: a fast run costs little here and in the page.
 */
export function requestEvents(view: View, after: number): RequestEvents {
  const { journal, query } = view
  const filter = readListFilter(query)
  const began = journal.look()
  const era = Number(query.get('era') ?? began.era)
  let last = after
  let tally = ''
  let matched = 0
  let counted = { looks: 0, dropped: -1 }

  const count = (state: typeof began, fresh: number) => {
    const isCountable = counted.dropped === -1 || counted.looks >= looksPerCount
    if (isCountable && filter.isSet && counted.dropped !== state.dropped) {
      matched = countMatches(journal.all(), filter.matches)
      counted = { looks: 0, dropped: state.dropped }
    } else {
      matched += fresh
      counted = { ...counted, looks: counted.looks + 1 }
    }
    return tallyText({ ...state, matched: Math.min(matched, state.kept) }, filter)
  }

  return {
    next() {
      const state = journal.look()
      if (state.era !== era || last > state.last) {
        return { text: serverSentEvent('reset', state.era), rows: 0, isOver: true }
      }
      const { rows, fresh } = newestAfter(last, journal, filter)
      const missed = fresh - rows.length
      const look = lookAt(view)
      let text = missed === 0 ? '' : serverSentEvent('missed', missed)
      for (const [number, request] of rows) {
        text += serverSentEvent('request', requestRow(look, number, request).toString(), number)
      }
      last = state.last
      const told = tally
      tally = count(state, fresh)
      return { text: tally === told ? text : text + serverSentEvent('tally', tally), rows: rows.length, isOver: false }
    },
  }
}

/**
 * The newest requests with higher numbers that match, oldest first, as many as the page keeps, and how many there are.
 * Without a filter no others are looked at: each page that is opened would cost as much as the log is long.
 */
function newestAfter(number: number, journal: RequestJournal, { isSet, matches }: ListFilter) {
  const { last, kept } = journal.look()
  const rows: NumberedRequest[] = []
  let fresh = 0
  for (const entry of journal.before(Number.POSITIVE_INFINITY)) {
    if (entry[0] <= number) break
    if (!isSet && rows.length === mostRows) {
      fresh = Math.min(last - number, kept)
      break
    }
    if (!matches(entry[1])) continue
    fresh += 1
    if (rows.length < mostRows) rows.push(entry)
  }
  return { rows: rows.reverse(), fresh }
}

export function countMatches(requests: readonly RequestRecord[], matches: (request: RequestRecord) => boolean): number {
  let count = 0
  for (const request of requests) if (matches(request)) count += 1
  return count
}
