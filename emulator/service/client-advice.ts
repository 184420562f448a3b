import { costOf, endpoints } from '../../src/protocol/endpoints.ts'
import type { Breach, RequestRecord } from '../storage/record-store.ts'

/** What an answer told of when, and with how much, its client may come again; instants in epoch milliseconds. */
export interface Advice {
  readonly retryAt?: number | undefined
  /** Units, and when there are all of them again. */
  readonly remaining?: number | undefined
  readonly resetsAt?: number | undefined
}

/** What a client still has to heed. */
export interface Standing {
  /** Requests of at least this cost had better wait until then. */
  readonly retry: { readonly until: number; readonly cost: number } | undefined
  readonly rest: { readonly remaining: number; readonly until: number } | undefined
}

/**
 * Remembers what each client was told, to see whether it heeds it. A client is a key, known or not, for a service that
 * is disabled looks no key up.
 */
export interface Manners {
  /** What a client knew that sends a request now; undefined where nothing holds it back. */
  arrive(key: string | undefined): Standing | undefined
  /** Takes note of an answer to a request that has been judged. */
  tell(key: string | undefined, answered: RequestRecord, advice: Advice): void
  forget(): void
}

/** More is enough for any request. */
const mostBindingRemaining = Math.max(...Object.values(endpoints).map(({ cost }) => cost)) - 1

/** Beyond this many clients those that were told something first are forgotten. */
const mostClients = 10_000

export function createManners(): Manners {
  const told = new Map<string, Standing>()
  return {
    arrive: (key) => (key === undefined || told.size === 0 ? undefined : told.get(key)),
    tell(key, answered, advice) {
      if (key === undefined) return
      const standing = standingAfter(told.size === 0 ? undefined : told.get(key), answered, advice)
      told.delete(key)
      if (standing === undefined) return
      told.set(key, standing)
      const [first] = told.size > mostClients ? told.keys() : []
      if (first !== undefined) told.delete(first)
    },
    forget: () => told.clear(),
  }
}

function standingAfter(
  before: Standing | undefined,
  answered: RequestRecord,
  { retryAt, remaining, resetsAt }: Advice,
): Standing | undefined {
  // While the service is disabled it has no room for any request; for a quota, smaller ones may have.
  const cost = answered.status === 503 ? 0 : costOf(answered.method, answered.endpoint)
  const earlier = before?.retry !== undefined && before.retry.until > answered.at ? before.retry : undefined
  const retry = retryAt === undefined ? earlier : { until: retryAt, cost }
  const isBinding = remaining !== undefined && remaining <= mostBindingRemaining && resetsAt !== undefined
  const rest = isBinding ? { remaining, until: resetsAt } : undefined
  return retry === undefined && rest === undefined ? undefined : { retry, rest }
}

/**
 * Whether a request came although its client had been told to wait. Coming early is a breach whatever comes of it;
 * asking for more than was left is one where it was refused, for windows that slide may have room again.
 */
export function breachOf({ retry, rest }: Standing, request: RequestRecord): Omit<Breach, 'accountId'> | undefined {
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
