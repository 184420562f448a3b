import { costOf, endpoints } from '../../src/protocol/endpoints.ts'
import type { RequestRecord, Violation } from '../storage/records.ts'

/** When, and with how many units, an answer told the client to come back; instants in epoch milliseconds. */
export interface Advice {
  readonly retryAt?: number | undefined
  /** Remaining units, and when the whole limit is available again. */
  readonly remaining?: number | undefined
  readonly resetsAt?: number | undefined
}

/** Advice that a client has not yet waited out. */
export interface OutstandingAdvice {
  /** Requests of at least this cost should wait until then. */
  readonly retry: { readonly until: number; readonly cost: number } | undefined
  readonly rest: { readonly remaining: number; readonly until: number } | undefined
}

/** With more units left, any request is affordable. */
const maxBindingRemaining = Math.max(...Object.values(endpoints).map(({ cost }) => cost)) - 1

/** Beyond this many clients, the one with the oldest advice is forgotten. */
const maxClients = 10_000

/**
 * Remembers the advice each client got, to see whether it follows it. A client is a key, valid or not, since a disabled
 * service looks up no key.
 */
export function createAdviceMemory() {
  const adviceByKey = new Map<string, OutstandingAdvice>()
  return {
    /** The advice for the client that sends a request now; undefined if it may send anything. */
    outstanding: (key: string | undefined): OutstandingAdvice | undefined =>
      key === undefined || adviceByKey.size === 0 ? undefined : adviceByKey.get(key),
    /** Remembers the advice of an answer; call it after `violationOf` has seen the request. */
    remember(key: string | undefined, answered: RequestRecord, advice: Advice) {
      if (key === undefined) return
      const next = outstandingAfter(adviceByKey.size === 0 ? undefined : adviceByKey.get(key), answered, advice)
      adviceByKey.delete(key)
      if (next === undefined) return
      adviceByKey.set(key, next)
      const [first] = adviceByKey.size > maxClients ? adviceByKey.keys() : []
      if (first !== undefined) adviceByKey.delete(first)
    },
    clear: () => adviceByKey.clear(),
  }
}

function outstandingAfter(
  before: OutstandingAdvice | undefined,
  answered: RequestRecord,
  { retryAt, remaining, resetsAt }: Advice,
): OutstandingAdvice | undefined {
  // A disabled service refuses every request; a quota may still have room for a cheaper one.
  const cost = answered.status === 503 ? 0 : costOf(answered.method, answered.endpoint)
  const earlier = before?.retry !== undefined && before.retry.until > answered.at ? before.retry : undefined
  const retry = retryAt === undefined ? earlier : { until: retryAt, cost }
  const isBinding = remaining !== undefined && remaining <= maxBindingRemaining && resetsAt !== undefined
  const rest = isBinding ? { remaining, until: resetsAt } : undefined
  return retry === undefined && rest === undefined ? undefined : { retry, rest }
}

/**
 * How a request ignored earlier advice. Coming before Retry-After always counts. Asking for more than the remaining
 * units counts only if it was refused, since a sliding window may have room again.
 */
export function violationOf(
  { retry, rest }: OutstandingAdvice,
  request: RequestRecord,
): Omit<Violation, 'accountId'> | undefined {
  const cost = costOf(request.method, request.endpoint)
  const isRefused = request.status === 429 || request.status === 503
  if (retry !== undefined && request.at < retry.until && (isRefused || cost >= retry.cost)) {
    return { kind: 'before_retry_after', until: retry.until }
  }
  if (rest !== undefined && request.at < rest.until && cost > rest.remaining && request.status === 429) {
    return { kind: 'without_remaining', until: rest.until }
  }
  return undefined
}
