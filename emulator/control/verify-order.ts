import { type RequestRecord, requestInfo } from '../storage/records.ts'
import { type Condition, conditionsOf, isExpected } from './conditions.ts'
import type { ExpectedFields } from './expectation.ts'
import { closestInWords, expectedInWords, requestInWords } from './expectation-words.ts'
import { closestRequests } from './near-misses.ts'
import { VerificationError } from './verification-error.ts'

/**
 * Looks for requests one after the other; others may come between them. The first that matches each is the best choice,
 * so one pass over the log is enough.
 * @throws VerificationError naming the first that is missing
 */
export function verifyOrder(requests: readonly RequestRecord[], expected: readonly ExpectedFields[]): void {
  /** The places of those found. */
  const found: number[] = []
  let conditions = conditionsOf(expected[0] ?? {})
  for (const [at, request] of requests.entries()) {
    if (!isExpected(conditions, request, at)) continue
    found.push(at)
    if (found.length === expected.length) return
    conditions = conditionsOf(expected[found.length] ?? {})
  }

  const { path, account_id: accountId } = expected[found.length] ?? {}
  const lastAt = found.at(-1)
  const order = lastAt === undefined ? [] : [orderCondition(requests, lastAt)]
  const nearMisses = closestRequests(requests, { conditions: [...conditions, ...order], path, accountId })
  const place = `request ${found.length + 1} of ${expected.length}`
  const after = order.map((condition) => ` ${condition.expected}`).join('')
  const wanted = `Expected ${expectedInWords(conditions)}${after} (${place} in order), but the log has none`
  throw new VerificationError(`${wanted}. ${closestInWords(nearMisses, accountId)}`, {
    expected: { min: expected.length, max: null },
    found: found.length,
    nearMisses,
  })
}

/** Asks that a request comes after the one before it in the order. */
function orderCondition(requests: readonly RequestRecord[], lastAt: number): Condition {
  const last = requests[lastAt]
  return {
    name: 'in_order',
    expected: `after ${last === undefined ? 'the start' : requestInWords(requestInfo.write(last))}`,
    found: (_, at) => (at === lastAt ? 'that request itself' : 'before it'),
    isMet: (_, at) => at > lastAt,
  }
}
