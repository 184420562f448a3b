import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { aListOf, type KindsOf, kind, someFields, soundValue } from '../../src/checks/values.ts'
import { type RequestRecord, requestInfo } from '../storage/record-types.ts'
import type { LogPart, RequestLog } from '../storage/request-log.ts'
import { readFields } from '../values/reading.ts'
import { count } from '../values/value-type.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { type ExpectedFields, expectedFields, refuseSecrets } from './expectation.ts'
import { closestInWords, expectedInWords, rangeInWords, requestInWords } from './expectation-words.ts'
import { closestRequests, mostNearMisses } from './near-misses.ts'
import { type ExpectedRange, VerificationError } from './verification-error.ts'

/** Which requests the log should have, and how many. */
export interface RequestExpectation extends ExpectedFields {
  /** An exact number, or a range from `min` to `max`. Default: at least one. */
  readonly count?: number | { readonly min?: number; readonly max?: number } | undefined
}

/** Which requests the log should have, one after the other. */
export interface OrderedExpectation {
  /** The account of all requests that name none. */
  readonly account_id?: number | undefined
  /** At least one; other requests may come between them. */
  readonly in_order: readonly ExpectedFields[]
}

export interface Verification {
  readonly verified: true
  /** The number of matching requests. */
  readonly found: number
}

const bounds = someFields({ min: count, max: count })

const range = kind<ExpectedRange>(
  'a whole number from zero up, or an object with min, max or both, min not above max',
  (found) => {
    const exact = soundValue(count, found)
    if (exact !== undefined) return { min: exact, max: exact }
    const given = soundValue(bounds, found)
    if (given === undefined || Object.keys(Object(found)).length === 0) return undefined
    const { min = 0, max = null } = given
    return max === null || min <= max ? { min, max } : undefined
  },
)

const countedFields = { ...expectedFields, count: range } satisfies KindsOf<RequestExpectation>
const orderedFields = {
  account_id: count,
  in_order: aListOf(someFields(expectedFields)),
} satisfies KindsOf<OrderedExpectation>

/**
 * Checks the log in time linear in its length.
 * @throws VerificationError saying what was found instead; TypeError saying what a field takes
 */
export function verifyRequests(log: RequestLog, expectation: RequestExpectation | OrderedExpectation): Verification {
  if (isObject(expectation) && 'in_order' in expectation) {
    const { account_id, in_order = [] } = readFields(expectation, orderedFields)
    if (in_order.length === 0) throw invalidValue('The field in_order takes a list of one or more expected requests')
    for (const [at, expected] of in_order.entries()) refuseSecrets(expected, `in_order[${at}]: `)
    const ofAccount = account_id === undefined ? {} : { account_id }
    return verifyOrder(
      log,
      in_order.map((expected) => ({ ...ofAccount, ...expected })),
    )
  }
  const { count: expected = { min: 1, max: null }, ...fields } = readFields(expectation, countedFields)
  refuseSecrets(fields)
  return verifyCount(log, fields, expected)
}

function partOf(conditions: readonly Condition[]): LogPart {
  const where = conditions.map(({ isMet }) => `(${isMet})`).join(' AND ')
  return { where: where || '1', values: conditions.flatMap(({ values }) => values) }
}

function verifyCount(log: RequestLog, fields: ExpectedFields, expected: ExpectedRange): Verification {
  const conditions = conditionsOf(fields)
  const part = partOf(conditions)
  const found = log.count(part)
  if (found >= expected.min && found <= (expected.max ?? Number.POSITIVE_INFINITY)) return { verified: true, found }
  const wanted = `Expected ${rangeInWords(expected)} ${expectedInWords(conditions)}, but the log has ${found}`
  if (found > expected.min) {
    const latest = log.select({ ...part, limit: mostNearMisses }).map(requestInfo.write)
    const nearMisses = latest.map((request) => ({ request, differs: {} }))
    const last = latest.at(-1)
    const message = last === undefined ? wanted : `${wanted}, the last of them ${requestInWords(last)}`
    throw new VerificationError(message, { expected, found, nearMisses })
  }
  const { path, account_id: accountId } = fields
  const nearMisses = closestRequests(log, { conditions, path, accountId })
  throw new VerificationError(`${wanted}. ${closestInWords(nearMisses, accountId)}`, { expected, found, nearMisses })
}

/**
 * Looks for requests one after the other; others may come between them. The first that matches each is the best choice,
 * so one pass over the log is enough.
 * @throws VerificationError naming the first that is missing
 */
function verifyOrder(log: RequestLog, expected: readonly ExpectedFields[]): Verification {
  let after = 0
  for (const [at, fields] of expected.entries()) {
    const conditions = conditionsOf(fields)
    const { where, values = [] } = partOf(conditions)
    const [next] = log.query(
      `SELECT number FROM requests WHERE number > ? AND ${where} ORDER BY number LIMIT 1`,
      after,
      ...values,
    )
    if (next === undefined) throw outOfOrder(log, { expected, at, conditions, last: log.get(after) })
    after = Number(next['number'])
  }
  return { verified: true, found: expected.length }
}

interface Missing {
  readonly expected: readonly ExpectedFields[]
  /** The place of the missing one. */
  readonly at: number
  readonly conditions: readonly Condition[]
  /** The request before it in the order. */
  readonly last: RequestRecord | undefined
}

function outOfOrder(log: RequestLog, { expected, at, conditions, last }: Missing): VerificationError {
  const { path, account_id: accountId } = expected[at] ?? {}
  const order = last === undefined ? [] : [orderCondition(last)]
  const nearMisses = closestRequests(log, { conditions: [...conditions, ...order], path, accountId })
  const place = `request ${at + 1} of ${expected.length}`
  const after = order.map((condition) => ` ${condition.expected}`).join('')
  const wanted = `Expected ${expectedInWords(conditions)}${after} (${place} in order), but the log has none`
  return new VerificationError(`${wanted}. ${closestInWords(nearMisses, accountId)}`, {
    expected: { min: expected.length, max: null },
    found: at,
    nearMisses,
  })
}

/** Asks that a request comes after the one before it in the order. */
function orderCondition(last: RequestRecord): Condition {
  return {
    name: 'in_order',
    expected: `after ${requestInWords(requestInfo.write(last))}`,
    found: `iif(number = ${last.number}, 'that request itself', 'before it')`,
    isMet: `number > ${last.number}`,
    values: [],
  }
}
