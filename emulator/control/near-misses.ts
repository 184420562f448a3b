import { requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/records.ts'
import { type RequestInfo, requestInfo } from '../storage/records.ts'

/** The fields of an expected request; a field that is absent matches any value. */
export interface ExpectedFields {
  readonly account_id?: number
  readonly method?: string
  /** The path without its query; `*` stands for any text, slashes included. */
  readonly path?: string
  readonly status?: number
}

/** A logged request close to the expected one. */
export interface NearMiss {
  readonly request: RequestInfo
  /** By field of the expectation; empty if the request matches and is one too many. */
  readonly differs: Readonly<
    Record<string, { readonly expected: string | number; readonly found: string | number | null }>
  >
}

export const mostNearMisses = 5

/** Sorted by the number of fields that differ, then by the longest common beginning of the path, then latest first. */
export function closestRequests(requests: readonly RequestRecord[], expected: ExpectedFields): readonly NearMiss[] {
  return requests
    .map((request, at) => ({
      at,
      request,
      differs: differences(request, expected),
      likeness: likeness(request, expected),
    }))
    .filter(({ differs }) => Object.keys(differs).length > 0)
    .sort(
      (one, other) =>
        Object.keys(one.differs).length - Object.keys(other.differs).length ||
        other.likeness - one.likeness ||
        other.at - one.at,
    )
    .slice(0, mostNearMisses)
    .map(({ request, differs }) => ({ request: requestInfo.write(request), differs }))
}

function differences(request: RequestRecord, expected: ExpectedFields): NearMiss['differs'] {
  const found = {
    account_id: request.accountId,
    method: request.method,
    path: request.endpoint,
    status: request.status,
  }
  const names = ['account_id', 'method', 'path', 'status'] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const wanted = expected[name]
      const isMet = wanted === undefined || requestFilter({ [name]: wanted })(request)
      return isMet ? [] : [[name, { expected: wanted, found: found[name] }]]
    }),
  )
}

function likeness({ endpoint }: RequestRecord, { path = '' }: ExpectedFields): number {
  let length = 0
  while (length < path.length && path[length] === endpoint[length]) length += 1
  return length
}
