import { type RequestFilter, requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/records.ts'
import { requestInfo } from '../storage/records.ts'
import { type CodecsOf, readFields } from '../values/codec.ts'
import { isObject } from '../values/json-schema.ts'
import { count, nonEmptyText, valueType } from '../values/value-type.ts'
import { ConflictError } from './conflict-error.ts'
import { closestRequests, type ExpectedFields, mostNearMisses, type NearMiss } from './near-misses.ts'

/** Which requests the log should have, and how many. */
export interface RequestExpectation extends ExpectedFields {
  /** An exact number, or a range from `min` to `max`. Default: at least one. */
  readonly count?: number | { readonly min?: number; readonly max?: number }
}

export interface Verification {
  readonly verified: true
  /** The number of matching requests. */
  readonly found: number
}

/** The log does not match the expectation. */
export class VerificationError extends ConflictError {
  readonly expected: { readonly min: number; readonly max: number | null }
  readonly found: number
  /** The closest first, five at most. */
  readonly nearMisses: readonly NearMiss[]

  constructor(
    message: string,
    { expected, found, nearMisses }: Pick<VerificationError, 'expected' | 'found' | 'nearMisses'>,
  ) {
    super('not-as-expected', message)
    this.expected = expected
    this.found = found
    this.nearMisses = nearMisses
  }
}

type Range = VerificationError['expected']

const range = valueType<Range>(
  'a whole number from zero up, or an object with min, max or both, min not above max',
  {},
  (found) => {
    const exact = count.parse(found)
    if (exact !== undefined) return { min: exact, max: exact }
    if (!isObject(found) || Object.keys(found).length === 0) return undefined
    const { min: least = 0, max: most, ...others } = found
    const min = count.parse(least)
    const max = most === undefined ? null : count.parse(most)
    if (Object.keys(others).length > 0 || min === undefined || max === undefined) return undefined
    return max === null || min <= max ? { min, max } : undefined
  },
)

export const filterFields = {
  account_id: count,
  method: nonEmptyText,
  path: nonEmptyText,
  status: count,
} satisfies CodecsOf<RequestFilter>

const fields = { ...filterFields, count: range } satisfies CodecsOf<RequestExpectation>

/** @throws VerificationError saying what was found instead; TypeError saying what a field takes */
export function verifyRequests(requests: readonly RequestRecord[], expectation: RequestExpectation): Verification {
  const { count: expected = { min: 1, max: null }, ...filter } = readFields(expectation, fields)
  const matching = requests.filter(requestFilter(filter))
  const found = matching.length
  if (found >= expected.min && found <= (expected.max ?? Number.POSITIVE_INFINITY)) return { verified: true, found }
  const tooMany = matching
    .slice(-mostNearMisses)
    .map((request) => ({ request: requestInfo.write(request), differs: {} }))
  const nearMisses = found > expected.min ? tooMany : closestRequests(requests, filter)
  const message = `Expected ${rangeInWords(expected)} ${filterInWords(filter)}, but the log has ${found}`
  throw new VerificationError(message, { expected, found, nearMisses })
}

function rangeInWords({ min, max }: Range): string {
  if (max === min) return `exactly ${min}`
  return max === null ? `at least ${min}` : `from ${min} to ${max}`
}

function filterInWords({ method, path, status, account_id }: ExpectedFields): string {
  const parts = [
    `${method?.toUpperCase() ?? 'any method'} ${path ?? '*'}`,
    ...(status === undefined ? [] : [`answered ${status}`]),
    ...(account_id === undefined ? [] : [`of account ${account_id}`]),
  ]
  return parts.join(' ')
}
