import type { SQLInputValue } from 'node:sqlite'
import { type RequestInfo, requestInfo } from '../storage/record-types.ts'
import type { RequestLog } from '../storage/request-log.ts'
import type { Condition, ShownValue } from './conditions.ts'

/** A logged request close to the expected one. */
export interface NearMiss {
  readonly request: RequestInfo
  /**
   * By field of the expectation, such as `status`, `headers.user-agent` or `file.size`; empty if the request matches and
   * is one too many. `found` is null if the request has nothing there.
   */
  readonly differs: Readonly<Record<string, { readonly expected: ShownValue; readonly found: ShownValue }>>
}

export const mostNearMisses = 5

interface Wanted {
  readonly conditions: readonly Condition[]
  readonly path: string | undefined
  /** Requests of other accounts, and of none, are no near misses; undefined: those of all are. */
  readonly accountId: number | undefined
}

/**
 * Sorted by the number of fields that differ, then by the longest common beginning of the path, then by the number of fields
 * that the request lacks, then latest first.
 */
export function closestRequests(log: RequestLog, { conditions, path = '', accountId }: Wanted): readonly NearMiss[] {
  const met = conditions.map(({ isMet }, at) => `ifnull(${isMet}, 0) AS met${at}`)
  const found = conditions.map(({ found: value }, at) => `${value} AS found${at}`)
  const values: readonly SQLInputValue[] = conditions.flatMap((condition) => condition.values)
  const metFields = conditions.map((_, at) => `met${at}`).join(' + ')
  const lacking = conditions.map((_, at) => `(met${at} = 0 AND found${at} IS NULL)`).join(' + ')
  if (conditions.length === 0) return []
  const rows = log.query(
    `WITH judged AS MATERIALIZED (SELECT number, endpoint, ${[...met, ...found].join()} FROM requests
      WHERE ifnull(accountId = ?, 0) OR ?)
    SELECT * FROM judged WHERE ${metFields} < ${conditions.length}
    ORDER BY ${metFields} DESC, likeness(endpoint, ?) DESC, ${lacking}, number DESC LIMIT ${mostNearMisses}`,
    ...values,
    accountId ?? null,
    Number(accountId === undefined),
    path,
  )
  return rows.flatMap((row) => {
    const request = log.get(Number(row['number']))
    const differs = conditions.flatMap(({ name, expected }, at) =>
      row[`met${at}`] === 0 ? [[name, { expected, found: row[`found${at}`] as ShownValue }] as const] : [],
    )
    return request === undefined ? [] : [{ request: requestInfo.write(request), differs: Object.fromEntries(differs) }]
  })
}
