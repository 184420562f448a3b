import type { FieldsOf, KindsOf } from '../../src/checks/values.ts'
import { type RequestFilter, statusRange } from '../service/request-filter.ts'
import type { LogPart, RequestLog } from '../storage/request-log.ts'
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
  valueType,
} from '../values/value-type.ts'
import { pathTerm } from './conditions.ts'
import { type EtiquetteKind, etiquetteKinds, findingPart } from './etiquette-report.ts'

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
  fault: numberOr('', 'any'),
  search: matching('text of 1 to 200 letters', /^[\s\S]{1,200}$/),
  since: instant,
  finding: oneOf(...etiquetteKinds),
} satisfies KindsOf<RequestQuery>

const pageFields = { ...queryFields, limit: recordId, before: count, after: count } satisfies KindsOf<RequestPage>

type Given = Partial<FieldsOf<typeof queryFields>>
type Term = readonly [where: string, ...values: (string | number)[]]

const inRest = ['file.name', 'fault', 'refusal.kind', 'refusal.words'].map((path) => `rest ->> '$.${path}'`)
/** What a search looks in: all that a person may remember of a request. */
const searched = `concat_ws(' ', method, endpoint, clientIp, ${inRest.join()}, char(10) || headers)`

/** Each part of a query as a condition on the log's columns. */
const terms: { readonly [Name in keyof Given]?: (value: NonNullable<Given[Name]>) => Term } = {
  account_id: (id) => (id === 'none' ? ['accountId IS NULL'] : ['accountId = ?', id]),
  method: (method) => ['method = ?', method.toUpperCase()],
  status: (given) => ['status BETWEEN ? AND ?', ...statusRange(given)],
  fault: (fault) => (fault === 'any' ? [`rest ->> '$.fault' IS NOT NULL`] : [`rest ->> '$.faultId' = ?`, fault]),
  since: (since) => ['at >= ?', since],
  path: (path) => [pathTerm(path), path],
  search: (search) => [`holds(${searched}, ?)`, search.toLowerCase()],
}

/** @throws TypeError saying what a field takes */
export function queryPart(query: RequestQuery, log: RequestLog): LogPart {
  return partOf(readFields(query, queryFields), log)
}

function partOf(given: Given, log: RequestLog): LogPart {
  const asked = Object.entries(terms).flatMap(([name, term]) => {
    const value = Reflect.get(given, name)
    return value === undefined ? [] : [(term as (value: unknown) => Term)(value)]
  })
  const finding = given.finding && findingPart(given.finding, log)
  const where = [...asked.map(([condition]) => condition), ...(finding?.where ? [finding.where] : [])]
  return {
    where: where.length === 0 ? undefined : where.map((condition) => `(${condition})`).join(' AND '),
    values: [...asked.flatMap(([, ...values]) => values), ...(finding?.values ?? [])],
  }
}

/** @throws TypeError saying what a field takes */
export function pagePart(page: RequestPage, log: RequestLog): LogPart {
  const { limit, before, after, ...query } = readFields(page, pageFields)
  return { ...partOf(query, log), limit, before, after }
}
