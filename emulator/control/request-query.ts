import type { FieldsOf, KindsOf } from '../../src/checks/values.ts'
import { type RequestFilter, requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/record-types.ts'
import { readFields } from '../values/reading.ts'
import {
  count,
  instant,
  matching,
  nonEmptyText,
  numberOr,
  oneOf,
  pathPattern,
  recordId,
  trueOrFalse,
  valueType,
} from '../values/value-type.ts'
import { type EtiquetteKind, etiquetteKinds, recordsFound } from './etiquette-report.ts'
import type { RequestJournal } from './request-journal.ts'

/** Which requests of the log are meant; default: all. */
export interface RequestQuery extends RequestFilter {
  /** ISO 8601: only requests at or after this time. */
  readonly since?: string | undefined
  /** Only requests in this finding of the etiquette report. */
  readonly finding?: EtiquetteKind | undefined
}

/** A part of the log. */
export interface RequestPage extends RequestQuery {
  /** Only the newest so many. */
  readonly limit?: number | undefined
  /** Only requests with lower numbers, and with higher ones. */
  readonly before?: number | undefined
  readonly after?: number | undefined
}

const status = valueType<number | string>('a status such as 404, or a class such as 4xx', {}, (found) => {
  if (/^[1-9]xx$/i.test(String(found))) return String(found)
  return /^\d{1,6}$/.test(String(found)) ? Number(found) : undefined
})

const queryFields = {
  account_id: numberOr('', 'none'),
  method: nonEmptyText,
  status,
  path: pathPattern,
  refused: trueOrFalse,
  fault: numberOr('', 'any'),
  search: matching('text of 1 to 200 letters', /^[\s\S]{1,200}$/),
  since: instant,
  finding: oneOf(...etiquetteKinds),
} satisfies KindsOf<RequestQuery>

const pageFields = { ...queryFields, limit: recordId, before: count, after: count } satisfies KindsOf<RequestPage>

type Matches = (request: RequestRecord) => boolean

/** @throws TypeError saying what a field takes */
export function queryTest(query: RequestQuery, journal: Pick<RequestJournal, 'all'>): Matches {
  return testOf(readFields(query, queryFields), journal)
}

function testOf(
  { since, finding, ...filter }: Partial<FieldsOf<typeof queryFields>>,
  journal: Pick<RequestJournal, 'all'>,
): Matches {
  const tests: Matches[] = [requestFilter(filter)]
  if (since !== undefined) tests.push(({ at }) => at >= since)
  if (finding !== undefined) tests.push(findingTest(finding, journal))
  return (request) => tests.every((test) => test(request))
}

/** Reads the log again only where it has grown: another request may make a finding of none that came before it. */
function findingTest(kind: EtiquetteKind, journal: Pick<RequestJournal, 'all'>): Matches {
  let newest: RequestRecord | undefined
  let found: ReadonlySet<RequestRecord> = new Set()
  return (request) => {
    const last = journal.all().at(-1)
    if (last !== newest) {
      newest = last
      found = recordsFound(kind, journal.all())
    }
    return found.has(request)
  }
}

/** @returns the requests, oldest first; @throws TypeError saying what a field takes */
export function requestsOn(page: RequestPage, journal: RequestJournal): readonly RequestRecord[] {
  const { limit, before, after, ...query } = readFields(page, pageFields)
  const matches = testOf(query, journal)
  if (limit === undefined && before === undefined && after === undefined) return journal.all().filter(matches)
  journal.look()
  const found: RequestRecord[] = []
  for (const [number, request] of journal.before(before ?? Number.POSITIVE_INFINITY)) {
    if (number <= (after ?? 0) || found.length === limit) break
    if (matches(request)) found.push(request)
  }
  return found.reverse()
}
