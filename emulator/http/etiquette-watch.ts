import { endpoints } from '../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../http-types.ts'
import type { WindowStatus } from '../service/quota/quota-window.ts'
import type { Service } from '../service/service.ts'
import type { KeyAdvice } from '../state/snapshot.ts'
import type { Violation } from '../storage/record-types.ts'
import { isUsableInstant } from '../values/value-type.ts'
import type { LogEntry, RequestContext } from './request-context.ts'

export function createEtiquetteWatch({ accounts }: Pick<Service, 'accounts'>) {
  /** By the hash of the key, valid or not, since a disabled service looks up no key. */
  const adviceByKey = new Map<string, OutstandingAdvice>()
  const outstandingAdvice = (key: string | undefined) =>
    key === undefined || adviceByKey.size === 0 ? undefined : adviceByKey.get(accounts.hashOf(key))
  let unheard = 0
  const keep = (key: string, request: RequestContext, advice: Advice) => {
    const next = outstandingAfter(outstandingAdvice(key), request, advice)
    const hash = accounts.hashOf(key)
    adviceByKey.delete(hash)
    if (next === undefined) return
    adviceByKey.set(hash, next)
    const [first] = adviceByKey.size > maxClients ? adviceByKey.keys() : []
    if (first !== undefined) adviceByKey.delete(first)
  }
  return {
    /** The advice that the client with this key has not yet waited out; undefined if it may send anything. */
    outstandingAdvice,
    /** Call once the outcome of a request that ignored earlier advice is known. */
    recordViolation(advice: OutstandingAdvice, request: RequestContext) {
      const { key, entry } = request
      const violation = violationOf(advice, request)
      if (violation === undefined) return
      // A disabled service looks up no key, but the report names the account.
      const known = entry.accountId ?? (key === undefined ? undefined : accounts.findByKey(key)?.id)
      entry.breach = { ...violation, accountId: known ?? null }
    },
    /** Call for every reply that is sent. Requests that were sent together with this one have not heard its advice. */
    recordAdvice(request: RequestContext, { headers }: HttpReply) {
      const { key, entry, verdict } = request
      if (key === undefined) return
      const window = verdict?.reportedWindow
      if (unheard === 0 && adviceByKey.size === 0 && !mayAdvise(entry, window)) return
      const advice = adviceOf(entry, headers, window)
      unheard += 1
      void Promise.resolve().then(() => {
        unheard -= 1
        keep(key, request, advice)
      })
    },
    dump: (): readonly KeyAdvice[] =>
      [...adviceByKey].map(([keyHash, { retry, rest }]) => ({
        keyHash,
        ...(retry !== undefined && { retry }),
        ...(rest !== undefined && { rest }),
      })),
    /** Replaces what clients were told. */
    load(advice: readonly KeyAdvice[]) {
      adviceByKey.clear()
      for (const { keyHash, retry, rest } of advice) adviceByKey.set(keyHash, { retry, rest })
    },
  }
}

/** Notices clients that ignore earlier advice and records it in the request log. */
export type EtiquetteWatch = ReturnType<typeof createEtiquetteWatch>

/** When, and with how many units, an answer told the client to come back; instants in epoch milliseconds. */
interface Advice {
  readonly retryAt?: number | undefined
  /** Remaining units, and when the whole limit is available again. */
  readonly remaining?: number | undefined
  readonly resetsAt?: number | undefined
}

/** Advice that a client has not yet waited out. */
interface OutstandingAdvice {
  /** Requests of at least this cost should wait until then. */
  readonly retry: { readonly until: number; readonly cost: number } | undefined
  readonly rest: { readonly remaining: number; readonly until: number } | undefined
}

/** With more units left, any request is affordable. */
const maxBindingRemaining = Math.max(...Object.values(endpoints).map(({ cost }) => cost)) - 1

/** Beyond this many clients, the one with the oldest advice is forgotten. */
const maxClients = 10_000

/** Most answers do not; what they say is not looked at. */
function mayAdvise({ status }: LogEntry, window: WindowStatus | undefined): boolean {
  return waitStatuses.includes(status) || (window !== undefined && window.remaining <= maxBindingRemaining)
}

/** Statuses of answers that may say when to come back. */
const waitStatuses: readonly number[] = [429, 503]

function adviceOf(entry: LogEntry, headers: HttpReply['headers'], window: WindowStatus | undefined): Advice {
  const isReported = window !== undefined && headers[rateHeaders.remaining] !== undefined
  return {
    retryAt: waitStatuses.includes(entry.status) ? retryInstant(headers, entry.at) : undefined,
    remaining: isReported ? window.remaining : undefined,
    resetsAt: isReported ? window.resetsAt : undefined,
  }
}

/**
 * Seconds count from the request's arrival, so a client that counts from the reply waits longer. An instant outside the
 * range of dates is ignored.
 */
function retryInstant(headers: HttpReply['headers'], at: number): number | undefined {
  const name = rateHeaders.retryAfter.toLowerCase()
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  if (value === undefined) return undefined
  const instant = /^\d+(\.\d+)?$/.test(value) ? at + Number(value) * 1_000 : Date.parse(value)
  return isUsableInstant(instant) ? instant : undefined
}

function outstandingAfter(
  before: OutstandingAdvice | undefined,
  answered: RequestContext,
  { retryAt, remaining, resetsAt }: Advice,
): OutstandingAdvice | undefined {
  const earlier = before?.retry !== undefined && before.retry.until > answered.entry.at ? before.retry : undefined
  // A disabled service refuses every request; a quota may still have room for a cheaper one.
  const cost = () => (answered.entry.status === 503 ? 0 : costOf(answered))
  const retry = retryAt === undefined ? earlier : { until: retryAt, cost: cost() }
  const isBinding = remaining !== undefined && remaining <= maxBindingRemaining && resetsAt !== undefined
  const rest = isBinding ? { remaining, until: resetsAt } : undefined
  return retry === undefined && rest === undefined ? undefined : { retry, rest }
}

/**
 * How a request ignored earlier advice. Coming before Retry-After always counts. Asking for more than the remaining
 * units counts only if it was refused, since a sliding window may have room again.
 */
function violationOf(
  { retry, rest }: OutstandingAdvice,
  request: RequestContext,
): Omit<Violation, 'accountId'> | undefined {
  const cost = costOf(request)
  const { at, status } = request.entry
  if (retry !== undefined && at < retry.until && (waitStatuses.includes(status) || cost >= retry.cost)) {
    return { kind: 'before_retry_after', until: retry.until }
  }
  if (rest !== undefined && at < rest.until && cost > rest.remaining && status === 429) {
    return { kind: 'without_remaining', until: rest.until }
  }
  return undefined
}

/** In units, by the endpoint that the request meant, however its path was written. */
function costOf({ route, entry }: RequestContext): number {
  const endpoint = route?.endpoints.get(entry.method)
  return endpoint === undefined ? 1 : endpoints[endpoint].cost
}
