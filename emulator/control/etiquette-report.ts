import { clientClosedRequest, type RequestInfo, type RequestRecord, requestInfo } from '../storage/record-types.ts'
import type { LogPart, RequestLog } from '../storage/request-log.ts'

/** How well clients behaved, as far back as the log goes. */
export interface EtiquetteReport {
  /** Whether there are no findings. */
  readonly clean: boolean
  /** Requests examined. */
  readonly requests: number
  /** Requests the log no longer holds, of all accounts. */
  readonly dropped: number
  readonly findings: readonly EtiquetteFinding[]
}

export interface EtiquetteFinding {
  readonly kind: EtiquetteKind
  /** The number of requests concerned. */
  readonly count: number
  /** Units charged for them. */
  readonly units: number
  /** What to do about it, in one line. */
  readonly advice: string
  /** Oldest first, the latest 100 at most. */
  readonly requests: readonly FoundRequest[]
}

export type EtiquetteKind =
  | 'before_retry_after'
  | 'without_remaining'
  | 'key_in_query'
  | 'duplicate_upload'
  | 'wasted_units'

export interface FoundRequest extends RequestInfo {
  /** ISO 8601: the earliest correct time, of a request that came too early. */
  readonly due_at?: string
  /** ISO 8601: when the same bytes were stored before, of an upload that stored them again. */
  readonly stored_at?: string
}

const advice: Readonly<Record<EtiquetteKind, string>> = {
  before_retry_after: 'After a 429 or a 503, send nothing until Retry-After has passed',
  without_remaining: 'Send nothing that costs more than X-RateLimit-Remaining until X-RateLimit-Reset has passed',
  key_in_query: 'Send the key in the X-Api-Key header: URLs end up in logs, histories and referrers',
  duplicate_upload: 'Before repeating a POST, look in the list for the upload that the first one may have stored',
  wasted_units: 'Check a call before sending it: these refused requests cost units',
}

export const etiquetteKinds = Object.keys(advice) as readonly EtiquetteKind[]

/** The same bytes within this time count as a repeated request, later ones as a new upload. */
const repetitionMs = 600_000

/** Which requests are in a finding. Refusals by an injected fault and failures of the service are not the client's mistake. */
const conditions: Readonly<Record<Exclude<EtiquetteKind, 'duplicate_upload'>, string>> = {
  before_retry_after: `rest ->> '$.breach.kind' = 'before_retry_after'`,
  without_remaining: `rest ->> '$.breach.kind' = 'without_remaining'`,
  key_in_query: `keyIn = 'query'`,
  wasted_units: `status BETWEEN 400 AND 499 AND cost > 0 AND rest ->> '$.fault' IS NULL AND rest ->> '$.stored' IS NULL`,
}

/** The requests of one finding, of all that a scope has. @param repeated those that stored the same bytes again */
export function findingPart(
  kind: EtiquetteKind,
  log: RequestLog,
  scope: LogPart = {},
  repeated = kind === 'duplicate_upload' ? duplicates(log, scope) : none,
): LogPart {
  if (kind !== 'duplicate_upload') return narrowed(scope, conditions[kind])
  return narrowed(scope, 'number IN (SELECT value FROM json_each(?))', JSON.stringify([...repeated.keys()]))
}

const none: ReadonlyMap<number, string> = new Map()

function narrowed({ where = '1', values = [] }: LogPart, condition: string, ...more: string[]): LogPart {
  return { where: `(${where}) AND (${condition})`, values: [...values, ...more] }
}

/** What the report says of one request. */
export function etiquetteOf(request: RequestRecord, log: RequestLog) {
  const { number, file } = request
  // The same bytes before it decide whether it is a repetition; of all other requests nothing matters.
  const related = { where: `rest ->> '$.file.sha256' = ?`, values: [file?.sha256 ?? ''] }
  const repeated = request.stored === true ? duplicates(log, related) : none
  return etiquetteKinds.flatMap((kind) => {
    const part = findingPart(kind, log, {}, repeated)
    const isFound = log.count({ ...part, after: number - 1, before: number + 1 }) > 0
    return isFound ? [{ kind, advice: advice[kind], ...instantsOf(kind, request, repeated) }] : []
  })
}

/** @param limit how many of its requests each finding lists */
export function reportEtiquette(log: RequestLog, scope: LogPart, limit = 100): EtiquetteReport {
  const repeated = duplicates(log, scope)
  const parts = etiquetteKinds.map((kind) => ({ kind, part: findingPart(kind, log, {}, repeated) }))
  // All are counted in one reading of the log.
  const counts = parts.map(({ kind, part: { where } }) => {
    const isFound = `FILTER (WHERE ${where})`
    return `count(*) ${isFound} AS ${kind}, total(cost) ${isFound} AS ${kind}_units`
  })
  const ofDuplicates = parts.flatMap(({ part: { values = [] } }) => [...values, ...values])
  const [sums] = log.rows(`count(*) AS requests, ${counts.join()}`, {
    ...scope,
    values: [...ofDuplicates, ...(scope.values ?? [])],
  })
  const findings = parts.flatMap(({ kind }): readonly EtiquetteFinding[] => {
    const [count, units] = [Number(sums?.[kind]), Number(sums?.[`${kind}_units`])]
    if (count === 0) return []
    const requests = limit === 0 ? [] : log.select({ ...findingPart(kind, log, scope, repeated), limit })
    const shown = requests.map((request) => ({ ...requestInfo.write(request), ...instantsOf(kind, request, repeated) }))
    return [{ kind, count, units, advice: advice[kind], requests: shown }]
  })
  const { dropped } = log.state()
  return { clean: findings.length === 0, requests: Number(sums?.['requests']), dropped, findings }
}

function instantsOf(kind: EtiquetteKind, { number, breach }: RequestRecord, repeated: ReadonlyMap<number, string>) {
  if (breach !== undefined && breach.kind === kind) return { due_at: new Date(breach.until).toISOString() }
  const stored_at = repeated.get(number)
  return kind === 'duplicate_upload' && stored_at !== undefined ? { stored_at } : {}
}

/**
 * A client that knows of its upload may well store the same bytes again; one that does not should have looked. An answer
 * reached its client whole, as far as the emulator knows, unless the client left or a fault but a delay struck it.
 * @returns when the same bytes were stored before, by the number of the request that stored them again
 */
function duplicates(log: RequestLog, { where = '1', values = [] }: LogPart): ReadonlyMap<number, string> {
  const rows = log.query(
    `SELECT number, before FROM (
      SELECT number, at, lag(at) OVER alike AS before, lag(status) OVER alike AS status, lag(fault) OVER alike AS fault
      FROM (SELECT number, at, status, accountId, rest ->> '$.fault' AS fault, rest ->> '$.file.sha256' AS sha256
        FROM requests WHERE (${where}) AND rest ->> '$.stored')
      WINDOW alike AS (PARTITION BY accountId, sha256 ORDER BY number))
    WHERE at - before <= ${repetitionMs} AND (status = ${clientClosedRequest} OR fault <> 'delay')`,
    ...values,
  )
  return new Map(rows.map(({ number, before }) => [Number(number), new Date(Number(before)).toISOString()]))
}
