import { endpoints } from '../../protocol/endpoints.ts'
import { perWindow, type WindowName, windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import type { Later, LedgerEntry, QuotaModel, Verdict } from '../ledger.ts'
import type { NeverFits, PacingOutcome, Quota, QuotaWindow } from '../pacer.ts'
import { createCharges, createReservations, loggedUnits, marginMs, type ReservedRequest } from './charges.ts'
import { createWindowInference } from './inference/window-inference.ts'
import { createLearnedLimit } from './learned-limit.ts'
import { checkUnits, type QuotaModelOptions, withDefaults } from './quota-model-options.ts'
import { createRefusals } from './refusals.ts'
import { createAbsentQuota, createServiceView } from './service-view.ts'

/** How long entries are kept: two days, because a sliding counter also counts a share of the day before. */
export const quotaMemoryMs = 2 * (windowLengthMs.day + marginMs(windowLengthMs.day))

type Reserve = LedgerEntry & { readonly type: 'reserve' }
type Answered = PacingOutcome & { readonly type: 'answered' }

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
 * may keep. docs/pacing.md has the argument.
 *
 * @throws RangeError where a limit or the reserve is not a number of units, or the reserve leaves nothing
 */
export function createQuotaModel({ limits: given = {}, reserve = 0 }: QuotaModelOptions = {}): QuotaModel {
  const limits = withDefaults(given)
  checkUnits(limits, reserve)
  const leftToOthers: Readonly<Record<WindowName, number>> = { burst: 0, minute: 0, hour: reserve, day: reserve }
  const charges = createCharges()
  /** Charges of refused requests: the service may have charged nothing for them. */
  const refused = createCharges()
  const inference = createWindowInference(charges, assumedLimit)
  const pending = createReservations()
  const refusals = createRefusals()
  const learned = perWindow((name) => createLearnedLimit(name, { isGiven: given[name] !== undefined }))
  const service = createServiceView(limits, charges, inference)
  const absentQuota = createAbsentQuota()
  let newest = Number.NEGATIVE_INFINITY
  let inOrderTo = Number.NEGATIVE_INFINITY
  /** How long requests take at most, as the last ones show: what is ahead counts from its end on. */
  let lastingMs = USUALLY_LASTING_MS

  /** @param isSet whether the clock is known to have been set */
  function passTime(now: number, isSet = false): void {
    // An instant far before the newest entry shows that the clock was set back. Nothing known can lie in the future.
    if (isSet || now < newest - TOLERATED_FUTURE_MS) {
      pending.undate()
      const dated = [charges, refused, inference, refusals, service.reported, absentQuota, ...Object.values(learned)]
      for (const part of dated) part.clampTo(now)
      newest = now
    }
    // After even a small step back, times from before and after it cannot be compared.
    if (now < inOrderTo - WRITTEN_WITHIN_MS) {
      pending.undate()
      service.reported.clampTo(now)
      inference.forgetAnswers()
      inOrderTo = now
    }
  }

  /** An entry of that time. Those that others have written by now may become known later, so asking moves no time. */
  function enterTime(at: number, isSet: boolean | undefined): void {
    passTime(at, isSet)
    newest = Math.max(newest, at)
    inOrderTo = Math.max(inOrderTo, at)
    charges.forget(newest - quotaMemoryMs)
    refused.forget(newest - quotaMemoryMs)
  }

  function charge(at: number, units: number): void {
    charges.add(at, units)
    inference.charge(at, units)
  }

  /** The limit as configured or by the spec, or a lower one that the service reports. */
  function assumedLimit(name: WindowName): number | null {
    const assumed = limits[name]
    return assumed !== null && name === 'minute' ? Math.min(assumed, service.minuteLimit()) : assumed
  }

  /** That limit without the reserve; null also where the account has no quota, unless a person gave the limit. */
  function ownLimit(name: WindowName, now: number): number | null {
    const limit = assumedLimit(name)
    if (limit === null || (given[name] === undefined && absentQuota.isKnown(now))) return null
    return limit - leftToOthers[name]
  }

  /** As much of that limit as is believed after refusals. */
  function limitOf(name: WindowName, now: number): number | null {
    const limit = ownLimit(name, now)
    return limit === null ? null : (learned[name].belief(limit, now)?.limit ?? limit)
  }

  /** How long a model without limits believes an answer that showed too few units left. */
  function shownUntil(units: number, now: number): number {
    return absentQuota.isKnown(now) ? Number.NEGATIVE_INFINITY : service.reported.spentUntil(units)
  }

  /**
   * When a window has room for so many units; undefined where that depends on requests under way.
   * @param from when shorter windows have room for them
   */
  function fitsAt(name: WindowName, units: number, now: number, ahead = 0, from = now): number | undefined {
    const limit = limitOf(name, now)
    if (limit === null) return name === 'minute' ? Math.max(now, shownUntil(ahead + units, now)) : now
    if (name === 'minute' && service.reported.has(ahead + units, from)) return now
    // A request dearer than the limit is sent when nothing else counts: the true limit may be higher.
    const most = Math.max(limit, units)
    const room = most - units - pending.units()
    if (ahead === 0) return room < 0 ? undefined : roomAt(name, room, now)
    // What is ahead fills as many windows as it takes, and this request is in the last of them.
    const all = pending.units() + ahead + units
    const windows = Math.ceil(all / most) - 1
    const eachMs = inference.heldMs(name, learned[name].isSuspect(now)) + lastingMs
    return roomAt(name, most - (all - windows * most), now) + windows * eachMs
  }

  function roomAt(name: WindowName, room: number, now: number): number {
    return inference.roomAt(name, room, now, learned[name].isSuspect(now))
  }

  function enter({ id, at, cost, afterSetting }: Reserve): void {
    enterTime(at, afterSetting)
    const units = service.priceOf(cost)
    pending.enter(id, { sentAt: at, nominal: cost, units, isProbe: refusals.gate() !== undefined })
    service.reported.spend(units)
  }

  /** Removes a reservation whose request was not sent. */
  function undo(id: string): void {
    const request = pending.take(id)
    if (request) service.reported.spend(-request.units)
  }

  function settle(id: string, outcome: PacingOutcome): void {
    if (outcome.type === 'not-sent') {
      undo(id)
      return
    }
    const request = pending.take(id)
    if (request === undefined) return
    const isSetBack = outcome.at < request.sentAt
    enterTime(outcome.at, isSetBack)
    lastingMs = Math.max(outcome.at - request.sentAt, lastingMs * LASTING_KEPT)
    if (outcome.type === 'unanswered') {
      charge(outcome.at, request.units)
      return
    }
    const { at, status } = outcome
    const answer = isSetBack || request.isUndated ? { ...outcome, report: {} } : outcome
    const { serverNow } = answer.report
    if (serverNow !== undefined) inference.seeDate({ serverNow, sentAt: request.sentAt, answeredAt: at })
    if (status === 429 || status === 503) refuse(request, outcome)
    else learn(request, answer)
  }

  function learn(request: ReservedRequest, { at, status, report }: Answered): void {
    const answered = { ...request, answeredAt: at, report }
    if (request.isProbe) refusals.lift()
    // What a failed request was charged says nothing about the price.
    const isSuccess = status >= 200 && status < 300
    const { units, foreign } = isSuccess
      ? service.learn(answered, pending.units())
      : { units: request.units, foreign: 0 }
    if (isSuccess) absentQuota.see(request.nominal, report)
    if (foreign > 0) learned.burst.seeOthers(at)
    charge(at, units + foreign)
  }

  function refuse({ units, sentAt }: ReservedRequest, { at, status, refusedBy, holdMs }: Answered): void {
    refusals.refuse({ at, status, units, window: refusedBy, askedMs: holdMs })
    if (status === 503) return
    absentQuota.refuse(at)
    const name = refusedBy ?? 'minute'
    const lengthMs = windowLengthMs[name]
    const used = loggedUnits(charges, lengthMs, at) - loggedUnits(refused, lengthMs, at) + pending.units()
    const limit = limits[name] ?? 0
    const isOurs = inference.longestUseAtMost(name, sentAt) + pending.units() + units > limit
    learned[name].learn({ used, limit, dearest: service.priceOf(endpoints.upload.cost), isOurs }, at)
    // Without limits nothing is predicted, so a refusal holds back only the window that refused.
    if (name === 'minute' || limits.minute !== null) service.reported.refuse()
    charge(at, units)
    refused.add(at, units)
  }

  /** After a refusal nothing may be sent until its wait is over, then one request at a time. */
  function heldBack(now: number): Later | undefined {
    const gate = refusals.gate()
    if (gate === undefined) return undefined
    const { window, source, until } = gate
    if (now < until) return { type: 'later', at: until, window, source }
    return pending.isProbing() ? { type: 'later', at: undefined, window, source } : undefined
  }

  /** Whether a refusal said when this window has room for so many units. One request finds out whether that is true. */
  function isToldFor(name: WindowName, units: number): boolean {
    const gate = refusals.gate()
    return gate?.refusing === name && units <= gate.units
  }

  /** The request waits for another one to end, or for a learned limit to rise. */
  function afterAnother(window: WindowName, now: number): Later {
    const easesAt = learned[window].belief(ownLimit(window, now) ?? 0, now)?.until
    return { type: 'later', at: undefined, easesAt, window, source: 'ledger' }
  }

  function verdict(nominal: number, now: number, ahead: readonly number[] = []): Verdict {
    passTime(now)
    const held = heldBack(now)
    if (held) return held
    let latest: Later | undefined
    const units = service.priceOf(nominal)
    const unitsAhead = ahead.reduce((sum, cost) => sum + service.priceOf(cost), 0)
    for (const name of windowNames) {
      if (isToldFor(name, unitsAhead + units)) continue
      const at = fitsAt(name, units, now, unitsAhead, latest?.at)
      if (at === undefined) return afterAnother(name, now)
      if (at > (latest?.at ?? now)) latest = { type: 'later', at, window: name, source: 'ledger' }
    }
    return latest ?? { type: 'now' }
  }

  function neverFits(cost: number): NeverFits | undefined {
    // A learned price above a limit does not count: the service has accepted such a request.
    const units = Math.min(cost, service.priceOf(cost))
    for (const window of windowNames) {
      const limit = (limits[window] ?? Number.POSITIVE_INFINITY) - leftToOthers[window]
      if (limit < units) return { window, units, limit, reserve: leftToOthers[window] }
    }
    return undefined
  }

  function describe(name: WindowName, now: number): QuotaWindow {
    const limit = ownLimit(name, now)
    const believed = limit === null ? undefined : learned[name].belief(limit, now)
    const used = charges.after(now - windowLengthMs[name]) + pending.units()
    const fits = ({ cost }: { readonly cost: number }) =>
      fitsAt(name, service.priceOf(cost), now) ?? now + windowLengthMs[name]
    const remaining = limit === null ? null : Math.max((believed?.limit ?? limit) - used, 0)
    return {
      limit,
      ...(believed && { believed: { ...believed, reason: 'refusal' } }),
      used,
      remaining,
      fitsAt: { upload: fits(endpoints.upload), delete: fits(endpoints.delete), other: fits(endpoints.stats) },
    }
  }

  return {
    apply(entry) {
      if (entry.type === 'settle') settle(entry.id, entry.outcome)
      else if (entry.type === 'cancel') undo(entry.id)
      else enter(entry)
    },
    verdict,
    neverFits,
    minute: (now) => inference.minute(now, pending.all()),
    windows(now): Quota {
      passTime(now)
      const counted = windowNames.filter((name) => limits[name] !== null)
      return Object.fromEntries(counted.map((name) => [name, describe(name, now)]))
    },
  }
}
