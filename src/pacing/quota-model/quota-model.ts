import { OutOfRangeError } from '../../checks/coded-error.ts'
import { kindBy, someFields } from '../../checks/values.ts'
import { endpoints } from '../../protocol/endpoints.ts'
import {
  defaultLimits,
  perWindow,
  type QuotaLimits,
  type WindowName,
  windowLengthMs,
  windowNames,
} from '../../protocol/rate-limits.ts'
import type { Later, Verdict } from '../ledger.ts'
import type { NeverFits, PacingOutcome, Quota, QuotaWindow } from '../pacer.ts'
import type { RateReport } from '../rate-headers.ts'
import type { LedgerEntry } from '../shared/quota-row.ts'
import { createCharges, loggedUnits, marginMs } from './charges.ts'
import { WindowInference } from './inference/window-inference.ts'
import { type Answered, createLearnedLimit, createRefusals } from './refusals.ts'
import { createAbsentQuota, createServiceView } from './service-view.ts'

/** How long entries are kept: two days, because a sliding counter also counts a share of the day before. */
export const quotaMemoryMs = 2 * (windowLengthMs.day + marginMs(windowLengthMs.day))

/** A request that was let through and has not ended. */
interface ReservedRequest {
  readonly sentAt: number
  /** Its price by the spec, in units. */
  readonly nominal: number
  /** What is reserved for it, in units. */
  readonly units: number
  /** Whether it was sent to find out whether a refusal still holds. */
  readonly isProbe: boolean
  /** Whether the clock was set while it was under way, so that `sentAt` cannot be compared with later times. */
  isUndated?: boolean
}

/** A process may pause this long between reading the clock and writing the entry. */
const TOLERATED_FUTURE_MS = 5_000
/** Assumed before requests have shown how long they take. */
const USUALLY_LASTING_MS = 5_000
/** What is kept of the longest request after each shorter one. */
const LASTING_KEPT = 0.95
/** An entry dated further back than this before the newest shows that a clock was set. */
const WRITTEN_WITHIN_MS = 1_500

/**
 * Decides from the ledger's entries when every quota window certainly has room, for every kind of window that the service
 * may keep. Pure: time is an argument. docs/pacing.md has the argument.
 */
export class QuotaModel {
  readonly #given: Partial<QuotaLimits>
  readonly #limits: QuotaLimits
  readonly #learned: Readonly<Record<WindowName, ReturnType<typeof createLearnedLimit>>>
  readonly #inference: WindowInference
  readonly #service: ReturnType<typeof createServiceView>
  readonly #charges = createCharges()
  /** Charges of refused requests: the service may have charged nothing for them. */
  readonly #refused = createCharges()
  readonly #pending = new Map<string, ReservedRequest>()
  #pendingUnits = 0
  readonly #refusals = createRefusals()
  readonly #absentQuota = createAbsentQuota()
  #newest = Number.NEGATIVE_INFINITY
  #inOrderTo = Number.NEGATIVE_INFINITY
  /** How long requests take at most, as the last ones show: what is ahead counts from its end on. */
  #lastingMs = USUALLY_LASTING_MS

  /** @throws RangeError where a limit is not a number of units */
  constructor({ limits: given = {} }: QuotaModelOptions = {}) {
    this.#given = given
    this.#limits = allLimits(given)
    this.#learned = perWindow((name) => createLearnedLimit(name, given[name] !== undefined))
    this.#inference = new WindowInference(this.#charges, (name) => this.#assumedLimit(name))
    this.#service = createServiceView(this.#limits, this.#charges, this.#inference)
  }

  apply(entry: LedgerEntry): void {
    if (entry.type === 'reserve') this.#enter(entry)
    else if (entry.type === 'settle' && entry.outcome.type !== 'not-sent') this.#settle(entry.id, entry.outcome)
    else if (entry.type === 'charge') this.#charge(entry.at, entry.cost)
    else this.#undo(entry.id)
  }

  /** @param ahead costs of requests that are sent first, in units: the answer is an estimate then. Default: none */
  verdict(nominal: number, now: number, ahead: readonly number[] = []): Verdict {
    this.#passTime(now)
    const held = this.#heldBack(now)
    if (held) return held
    let latest: Later | undefined
    const units = this.#service.priceOf(nominal)
    const unitsAhead = ahead.reduce((sum, cost) => sum + this.#service.priceOf(cost), 0)
    for (const name of windowNames) {
      if (this.#isToldFor(name, unitsAhead + units)) continue
      const at = this.#fitsAt(name, units, now, unitsAhead, latest?.at)
      if (at === undefined) return { type: 'later', at, window: name, source: 'ledger' }
      if (at > (latest?.at ?? now)) latest = { type: 'later', at, window: name, source: 'ledger' }
    }
    return latest ?? { type: 'now' }
  }

  /** Why a request of this cost can never be sent within the configured limits; undefined where it can. */
  neverFits(cost: number): NeverFits | undefined {
    // A learned price above a limit does not count: the service has accepted such a request.
    const units = Math.min(cost, this.#service.priceOf(cost))
    for (const window of windowNames) {
      const limit = this.#limits[window] ?? Number.POSITIVE_INFINITY
      if (limit < units) return { window, units, limit }
    }
    return undefined
  }

  windows(now: number): Quota {
    this.#passTime(now)
    const counted = windowNames.filter((name) => this.#limits[name] !== null)
    return Object.fromEntries(counted.map((name) => [name, this.#describe(name, now)]))
  }

  /** @param isSetBack whether the clock is known to have been set back */
  #passTime(now: number, isSetBack = false): void {
    const { reported } = this.#service
    // An instant far before the newest entry shows that the clock was set back. Nothing known can lie in the future.
    if (isSetBack || now < this.#newest - TOLERATED_FUTURE_MS) {
      for (const request of this.#pending.values()) request.isUndated = true
      const parts = [this.#charges, this.#refused, this.#inference, this.#refusals, reported, this.#absentQuota]
      for (const part of [...parts, ...Object.values(this.#learned)]) part.clampTo(now)
      this.#newest = now
    }
    // After even a small step back, times from before and after it cannot be compared.
    if (now < this.#inOrderTo - WRITTEN_WITHIN_MS) {
      for (const request of this.#pending.values()) request.isUndated = true
      reported.clampTo(now)
      this.#inference.forgetAnswers()
      this.#inOrderTo = now
    }
  }

  /** An entry of that time. Those that others have written by now may become known later, so asking moves no time. */
  #enterTime(at: number, isSetBack = false): void {
    this.#passTime(at, isSetBack)
    this.#newest = Math.max(this.#newest, at)
    this.#inOrderTo = Math.max(this.#inOrderTo, at)
    this.#charges.forget(this.#newest - quotaMemoryMs)
    this.#refused.forget(this.#newest - quotaMemoryMs)
  }

  #charge(at: number, units: number): void {
    this.#charges.add(at, units)
    this.#inference.charge(at, units)
  }

  /** The limit as configured or by the spec, or a lower one that the service reports. */
  #assumedLimit(name: WindowName): number | null {
    const assumed = this.#limits[name]
    return assumed !== null && name === 'minute' ? Math.min(assumed, this.#service.minuteLimit()) : assumed
  }

  /** That limit; null also where the account has no quota, unless a person gave the limit. */
  #ownLimit(name: WindowName, now: number): number | null {
    const isAbsent = this.#given[name] === undefined && this.#absentQuota.isKnown(now)
    return isAbsent ? null : this.#assumedLimit(name)
  }

  /**
   * When a window has room for so many units; undefined where that depends on requests under way.
   * @param from when shorter windows have room for them
   */
  #fitsAt(name: WindowName, units: number, now: number, ahead = 0, from = now): number | undefined {
    const own = this.#ownLimit(name, now)
    const { reported } = this.#service
    if (own === null) {
      // A model without limits believes an answer that showed too few units left.
      const isShown = name === 'minute' && !this.#absentQuota.isKnown(now)
      return isShown ? Math.max(now, reported.spentUntil(ahead + units)) : now
    }
    if (name === 'minute' && reported.has(ahead + units, from)) return now
    const limit = this.#learned[name].belief(own, now)?.limit ?? own
    const pending = this.#pendingUnits
    // A request dearer than the limit is sent when nothing else counts: the true limit may be higher.
    const most = Math.max(limit, units)
    const room = most - units - pending
    const isSuspect = this.#learned[name].isSuspect(now)
    if (ahead === 0) return room < 0 ? undefined : this.#inference.roomAt(name, room, now, isSuspect)
    // What is ahead fills as many windows as it takes, and this request is in the last of them.
    const all = pending + ahead + units
    const windows = Math.ceil(all / most) - 1
    const eachMs = this.#inference.heldMs(name, isSuspect) + this.#lastingMs
    return this.#inference.roomAt(name, most - (all - windows * most), now, isSuspect) + windows * eachMs
  }

  #enter({ id, at, cost }: LedgerEntry & { readonly type: 'reserve' }): void {
    this.#enterTime(at)
    const units = this.#service.priceOf(cost)
    this.#take(id)
    this.#pending.set(id, { sentAt: at, nominal: cost, units, isProbe: this.#refusals.gate() !== undefined })
    this.#pendingUnits += units
    this.#service.reported.spend(units)
  }

  /** Removes a reservation; undefined if it has ended before. */
  #take(id: string): ReservedRequest | undefined {
    const request = this.#pending.get(id)
    if (request && this.#pending.delete(id)) this.#pendingUnits -= request.units
    return request
  }

  /** Removes a reservation whose request was not sent. */
  #undo(id: string): void {
    const request = this.#take(id)
    if (request) this.#service.reported.spend(-request.units)
  }

  #settle(id: string, outcome: Exclude<PacingOutcome, { readonly type: 'not-sent' }>): void {
    const request = this.#take(id)
    if (request === undefined) return
    const { at } = outcome
    const isSetBack = at < request.sentAt
    this.#enterTime(at, isSetBack)
    this.#lastingMs = Math.max(at - request.sentAt, this.#lastingMs * LASTING_KEPT)
    if (outcome.type === 'unanswered') this.#charge(at, request.units)
    else this.#answer(request, isSetBack || request.isUndated ? { ...outcome, report: {} } : outcome)
  }

  #answer(request: ReservedRequest, answer: Answered): void {
    const { at, status, report } = answer
    const { serverNow } = report
    if (serverNow !== undefined) this.#inference.seeDate({ serverNow, sentAt: request.sentAt, answeredAt: at })
    const isRefused = status === 429 || status === 503
    if (!isRefused && request.isProbe) this.#refusals.lift()
    if (isRefused) this.#refuse(request, answer)
    else if (status >= 200 && status < 300) this.#learn(request, at, report)
    // What a failed request was charged says nothing about the price.
    else this.#charge(at, request.units)
  }

  #learn(request: ReservedRequest, at: number, report: RateReport): void {
    const { units, foreign } = this.#service.learn({ ...request, answeredAt: at, report }, this.#pendingUnits)
    this.#absentQuota.see(request.nominal, report)
    if (foreign > 0) this.#learned.burst.seeOthers(at)
    this.#charge(at, units + foreign)
  }

  #refuse({ units, sentAt }: ReservedRequest, answer: Answered): void {
    this.#refusals.refuse(answer, units)
    if (answer.status === 503) return
    const { at, refusedBy: name = 'minute' } = answer
    this.#absentQuota.refuse(at)
    const lengthMs = windowLengthMs[name]
    const pending = this.#pendingUnits
    const used = loggedUnits(this.#charges, lengthMs, at) - loggedUnits(this.#refused, lengthMs, at) + pending
    const limit = this.#limits[name] ?? 0
    const isOurs = this.#inference.longestUseAtMost(name, sentAt) + pending + units > limit
    const dearest = this.#service.priceOf(endpoints.upload.cost)
    this.#learned[name].learn({ used, limit, dearest, isOurs }, at)
    // Without limits nothing is predicted, so a refusal holds back only the window that refused.
    if (name === 'minute' || this.#limits.minute !== null) this.#service.reported.refuse()
    this.#charge(at, units)
    this.#refused.add(at, units)
  }

  /** After a refusal nothing may be sent until its wait is over, then one request at a time. */
  #heldBack(now: number): Later | undefined {
    const gate = this.#refusals.gate()
    if (gate === undefined) return undefined
    const { window, source, until } = gate
    if (now < until) return { type: 'later', at: until, window, source }
    const isProbing = [...this.#pending.values()].some(({ isProbe }) => isProbe)
    return isProbing ? { type: 'later', at: undefined, window, source } : undefined
  }

  /** Whether a refusal said when this window has room for so many units. One request finds out whether that is true. */
  #isToldFor(name: WindowName, units: number): boolean {
    const gate = this.#refusals.gate()
    return gate?.refusing === name && units <= gate.units
  }

  #describe(name: WindowName, now: number): QuotaWindow {
    const limit = this.#ownLimit(name, now)
    const believed = limit === null ? undefined : this.#learned[name].belief(limit, now)
    const used = this.#charges.after(now - windowLengthMs[name]) + this.#pendingUnits
    const fits = ({ cost }: { readonly cost: number }) =>
      this.#fitsAt(name, this.#service.priceOf(cost), now) ?? now + windowLengthMs[name]
    return {
      limit,
      ...(believed && { believed: { ...believed, reason: 'refusal' } }),
      used,
      remaining: limit === null ? null : Math.max((believed?.limit ?? limit) - used, 0),
      fitsAt: { upload: fits(endpoints.upload), delete: fits(endpoints.delete), other: fits(endpoints.stats) },
    }
  }
}

export interface QuotaModelOptions {
  /** In units; null is a window without a limit. Default: the spec's (spec 8), which answers may correct. */
  readonly limits?: Partial<QuotaLimits> | undefined
}

/** Which numbers are limits, {@link allLimits} says. */
const unitsOrNone = kindBy(
  'a whole number from 1, or null for no limit',
  (value) => value === null || typeof value === 'number',
)

export const limitsCheck = someFields(
  perWindow(() => unitsOrNone),
  { accepts: `an object with units for any of ${windowNames.join(', ')}` },
)

/** All four limits: the spec's where none is given. @throws RangeError where one is not a number of units */
function allLimits(given: Partial<QuotaLimits>): QuotaLimits {
  return perWindow((name) => {
    const limit = given[name] === undefined ? defaultLimits[name] : given[name]
    if (limit === null || (Number.isInteger(limit) && limit > 0)) return limit
    throw new OutOfRangeError(
      `The limit of the ${name} window is a whole number from 1, or null for none, not ${limit}`,
    )
  })
}
