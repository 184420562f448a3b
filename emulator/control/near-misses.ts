import { type RequestInfo, type RequestRecord, requestInfo } from '../storage/record-types.ts'
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
  /** The whole of a request, which was read in part. */
  wholeOf(request: RequestRecord): RequestRecord
}

interface Candidate {
  readonly request: RequestRecord
  readonly unmet: readonly Condition[]
  readonly likeness: number
  readonly lacking: number
}

/**
 * Sorted by the number of fields that differ, then by the longest common beginning of the path, then by the number of fields
 * that the request lacks, then latest first.
 */
export function closestRequests(
  requests: readonly RequestRecord[],
  { conditions, path = '', accountId, wholeOf }: Wanted,
): readonly NearMiss[] {
  const closest: Candidate[] = []
  for (const request of requests) {
    if (accountId !== undefined && request.accountId !== accountId) continue
    const unmet = conditions.filter((condition) => !condition.isMet(request))
    if (unmet.length === 0) continue
    const lacking = unmet.filter((condition) => condition.found(request) === null).length
    const candidate = { request, unmet, likeness: likeness(request, path), lacking }
    const place = closest.findIndex((other) => isCloser(candidate, other))
    if (place >= 0) closest.splice(place, 0, candidate)
    else if (closest.length < mostNearMisses) closest.push(candidate)
    if (closest.length > mostNearMisses) closest.pop()
  }
  return closest.map(({ request, unmet }) => ({
    request: requestInfo.write(wholeOf(request)),
    differs: Object.fromEntries(unmet.map(({ name, expected, found }) => [name, { expected, found: found(request) }])),
  }))
}

/** Of two that are equally close, the later. */
function isCloser(one: Candidate, other: Candidate): boolean {
  if (one.unmet.length !== other.unmet.length) return one.unmet.length < other.unmet.length
  if (one.likeness !== other.likeness) return one.likeness > other.likeness
  return one.lacking <= other.lacking
}

function likeness({ endpoint }: RequestRecord, path: string): number {
  let length = 0
  while (length < path.length && path[length] === endpoint[length]) length += 1
  return length
}
