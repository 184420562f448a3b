import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { Verdict } from '../service/quota.ts'
import type { HttpReply } from './exchange.ts'

/**
 * What the quota tells a client (spec 8.1): the minute's limit, rest and end in epoch seconds, and what the request
 * cost. A refused request cost nothing and says no cost; an unlimited minute has no limit to tell of.
 */
export function presentVerdict({ minute, refusal }: Verdict, cost: number): HttpReply['headers'] {
  const headers: Record<string, string> = {}
  if (minute !== undefined) {
    headers[rateHeaders.limit] = String(minute.limit)
    headers[rateHeaders.remaining] = String(minute.remaining)
    headers[rateHeaders.reset] = String(Math.ceil(minute.resetsAt / 1_000))
  }
  if (refusal === undefined) headers[rateHeaders.cost] = String(cost)
  return headers
}
