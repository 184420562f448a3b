import { requestFilter } from '../service/request-filter.ts'
import type { RequestRecord } from '../storage/record-store.ts'
import { count, nonEmptyText, type PatchField, type PatchFields, parsePatch } from '../values/patch.ts'
import { ConflictError } from './conflict-error.ts'
import { closestRequests, type ExpectedFields, mostNearMisses, type NearMiss } from './near-misses.ts'
import { presentRequest } from './request-info.ts'

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

const isCount = (value: unknown): value is number => count.accept(value)

const counts: PatchField<Exclude<RequestExpectation['count'], undefined>> = {
  accepts: 'a whole number from zero up, or an object with min, max or both, min not above max',
  accept(value): value is Exclude<RequestExpectation['count'], undefined> {
    if (isCount(value)) return true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const { min = 0, max = Number.MAX_SAFE_INTEGER, ...others } = value as { min?: unknown; max?: unknown }
    return (
      Object.keys(value).length > 0 && Object.keys(others).length === 0 && isCount(min) && isCount(max) && min <= max
    )
  },
}

const fields: PatchFields<RequestExpectation> = {
  account_id: count,
  method: nonEmptyText,
  path: nonEmptyText,
  status: count,
  count: counts,
}

/** @throws VerificationError saying what was found instead; TypeError saying what a field takes */
export function verifyRequests(requests: readonly RequestRecord[], expectation: RequestExpectation): Verification {
  const { count: expectedCount, ...filter } = parsePatch(expectation, fields)
  const expected = toRange(expectedCount)
  const matching = requests.filter(requestFilter(filter))
  const found = matching.length
  if (found >= expected.min && found <= (expected.max ?? Number.POSITIVE_INFINITY)) return { verified: true, found }
  const tooMany = matching.slice(-mostNearMisses).map((request) => ({ request: presentRequest(request), differs: {} }))
  const nearMisses = found > expected.min ? tooMany : closestRequests(requests, filter)
  const message = `Expected ${rangeInWords(expected)} ${filterInWords(filter)}, but the log has ${found}`
  throw new VerificationError(message, { expected, found, nearMisses })
}

function toRange(counted: RequestExpectation['count']): VerificationError['expected'] {
  if (counted === undefined) return { min: 1, max: null }
  if (typeof counted === 'number') return { min: counted, max: counted }
  return { min: counted.min ?? 0, max: counted.max ?? null }
}

function rangeInWords({ min, max }: VerificationError['expected']): string {
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
