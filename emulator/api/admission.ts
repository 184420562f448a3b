import { endpoints } from '../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { HttpResponse } from '../http.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyAdvice } from '../state/snapshot.ts'
import type { AccountRecord, Violation } from '../storage/record-types.ts'
import { hashOfKey, type RecordStore } from '../storage/records.ts'
import { allowsAddress } from '../values/ip-allowlist.ts'
import type { Call } from './target.ts'

type AdmissionCheck = Settings['check_order'][number]

export interface AdmissionParts extends Pick<EmulatorParts, 'service' | 'settings' | 'clock'> {
  readonly records: { readonly accounts: Pick<RecordStore['accounts'], 'findByKey'> }
}

/** Decides whether a request may reach an endpoint (spec 5, 8). */
export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** The account of the request's key; null if no account has it. */
  lookUp({ account, key }: Call): AccountRecord | null {
    if (account !== undefined) return account
    return (key === undefined ? undefined : this.#parts.records.accounts.findByKey(key)) ?? null
  }

  /** The same, and records the account in the log. */
  accountOf(call: Call): AccountRecord | null {
    if (call.account === undefined) {
      call.account = this.lookUp(call)
      call.entry.accountId = call.account?.id ?? null
    }
    return call.account
  }

  /**
   * Runs the checks in order, up to the first that refuses. A check that needs an account passes without one, since the
   * key check refuses.
   * @param cost in units, charged by the quota check
   */
  examine(call: Call, checks: readonly AdmissionCheck[], cost: number): Refusal | undefined {
    for (const check of checks) {
      const refusal = this.#examineFor(check, call, cost)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  #examineFor(check: AdmissionCheck, call: Call, cost: number): Refusal | undefined {
    const { settings, service, clock } = this.#parts
    if (check === 'disabled') return settings.current.api_enabled ? undefined : { kind: 'api-disabled' }
    const account = this.accountOf(call)
    if (account === null) return check === 'key' ? { kind: 'invalid-key' } : undefined
    if (check === 'suspended' && account.suspended) return { kind: check, reason: account.suspensionReason }
    if (check === 'address' && !allowsAddress(account.ipAllowlist, call.entry.clientIp))
      return { kind: 'address-not-allowed' }
    if (check !== 'quota') return undefined
    call.verdict = service.quota.charge(account, cost, clock.now())
    call.entry.cost = call.verdict.charged
    return call.verdict.refusal
  }

  /** Refunds a failed request where failures are free. */
  refundFailure(call: Call): void {
    const { account, verdict } = call
    if (this.#parts.settings.current.charge_failed || !call.isServed || !account || verdict === undefined) return
    call.verdict = { ...verdict, reportedWindow: this.#takeBack(account, verdict), charged: 0 }
    call.entry.cost = 0
  }

  /** Undoes the charge and the account of a request that turned out to be no call of the service. */
  undo(call: Call): void {
    const { account, verdict, entry } = call
    if (account && verdict !== undefined) this.#takeBack(account, verdict)
    call.verdict = undefined
    entry.cost = 0
    entry.accountId = null
  }

  #takeBack(account: AccountRecord, { charged, at }: QuotaVerdict) {
    const { service, clock } = this.#parts
    return service.quota.refund(account, { units: charged, at }, clock.now())
  }
}

/** With more units left, any request is affordable. */
const maxBindingRemaining = Math.max(...Object.values(endpoints).map(({ cost }) => cost)) - 1

/** Beyond this many clients, the one with the oldest advice is forgotten. */
const maxClients = 10_000

/** Statuses of answers that may say when to come back. */
const waitStatuses: readonly number[] = [429, 503]

/** Notices clients that ignore earlier advice and records it in the request log. */
export class EtiquetteWatch {
  /** By the hash of the key, valid or not, since a disabled service looks up no key. */
  readonly #adviceByKey = new Map<string, KeyAdvice>()

  /** The advice that the client with this key has not yet waited out; undefined if it may send anything. */
  outstandingAdvice(key: string | undefined): KeyAdvice | undefined {
    return key === undefined || this.#adviceByKey.size === 0 ? undefined : this.#adviceByKey.get(hashOfKey(key))
  }

  /** Call for every response that is sent. Requests that were sent together with this one have not heard its advice. */
  recordAdvice(call: Call, { headers }: HttpResponse): void {
    const { key } = call
    if (key !== undefined && (this.#adviceByKey.size > 0 || mayAdvise(call))) {
      void Promise.resolve().then(() => this.#keep(hashOfKey(key), call, headers))
    }
  }

  #keep(keyHash: string, call: Call, headers: HttpResponse['headers']): void {
    const advice = adviceAfter(this.#adviceByKey.get(keyHash), call, headers)
    this.#adviceByKey.delete(keyHash)
    if (advice === undefined) return
    this.#adviceByKey.set(keyHash, { keyHash, ...advice })
    const [first] = this.#adviceByKey.size > maxClients ? this.#adviceByKey.keys() : []
    if (first !== undefined) this.#adviceByKey.delete(first)
  }

  dump(): readonly KeyAdvice[] {
    return [...this.#adviceByKey.values()]
  }

  /** Replaces what clients were told. */
  load(advice: readonly KeyAdvice[]): void {
    this.#adviceByKey.clear()
    for (const one of advice) this.#adviceByKey.set(one.keyHash, one)
  }
}

/** Most answers do not; what they say is not looked at. */
function mayAdvise({ entry, verdict }: Call): boolean {
  const remaining = verdict?.reportedWindow?.remaining ?? Number.POSITIVE_INFINITY
  return waitStatuses.includes(entry.status) || remaining <= maxBindingRemaining
}

/** Advice to wait longer, in milliseconds, is none: it may be beyond all dates. */
const longestWaitMs = 366 * 86_400_000

/** Seconds count from the request's arrival, so a client that counts from the response waits longer. */
function retryInstant(headers: HttpResponse['headers'], at: number): number | undefined {
  const name = rateHeaders.retryAfter.toLowerCase()
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  if (value === undefined) return undefined
  const instant = /^\d+(\.\d+)?$/.test(value) ? at + Number(value) * 1_000 : Date.parse(value)
  return instant - at <= longestWaitMs ? Math.max(instant, at) : undefined
}

function adviceAfter(
  before: KeyAdvice | undefined,
  call: Call,
  headers: HttpResponse['headers'],
): Omit<KeyAdvice, 'keyHash'> | undefined {
  const { at, status } = call.entry
  const window = headers[rateHeaders.remaining] === undefined ? undefined : call.verdict?.reportedWindow
  const until = waitStatuses.includes(status) ? retryInstant(headers, at) : undefined
  const earlier = before?.retry !== undefined && before.retry.until > at ? before.retry : undefined
  // A disabled service refuses every request; a quota may still have room for a cheaper one.
  const retry = until === undefined ? earlier : { until, cost: status === 503 ? 0 : costOf(call) }
  const isBinding = window !== undefined && window.remaining <= maxBindingRemaining
  if (retry === undefined && !isBinding) return undefined
  return {
    ...(retry !== undefined && { retry }),
    ...(isBinding && { rest: { remaining: window.remaining, until: window.resetsAt } }),
  }
}

/**
 * How a request ignored earlier advice. Coming before Retry-After always counts. Asking for more than the remaining
 * units counts only if it was refused, since a sliding window may have room again.
 */
export function violationOf({ retry, rest }: KeyAdvice, call: Call): Violation | undefined {
  const cost = costOf(call)
  const { at, status } = call.entry
  if (retry !== undefined && at < retry.until && (waitStatuses.includes(status) || cost >= retry.cost)) {
    return { kind: 'before_retry_after', until: retry.until }
  }
  if (rest !== undefined && at < rest.until && cost > rest.remaining && status === 429) {
    return { kind: 'without_remaining', until: rest.until }
  }
  return undefined
}

/** In units. */
function costOf({ endpoint }: Call): number {
  return endpoint === undefined ? 1 : endpoints[endpoint].cost
}
