import { endpoints } from '../../protocol/endpoints.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import type { LedgerBook, LedgerEntry, Verdict } from '../ledger.ts'
import type { NeverFits } from '../never-fits.ts'
import type { PacingOutcome, Quota, QuotaWindow } from '../pacer.ts'
import { createCharges } from './charges.ts'
import { countedUnits } from './inference/clock-windows.ts'
import { createLimitLesson } from './learned-limit.ts'
import { type BookOptions, checkUnits, withDefaults } from './quota-model-options.ts'
import { createRefusals } from './refusals.ts'
import { createReservations, type Reservation } from './reservations.ts'
import { createServiceView } from './service-view.ts'
import { loggedUnits, marginMs } from './sliding-log.ts'
import { createWindowRoom, type WindowView } from './window-capacity.ts'
import type { WindowKind } from './window-kinds.ts'

/** For so long an entry may matter: a sliding counter's day still sees the day before. */
export const bookMemoryMs = 2 * (windowLengthMs.day + marginMs(windowLengthMs.day))

type Reserve = LedgerEntry & { readonly type: 'reserve' }
type Answered = PacingOutcome & { readonly type: 'answered' }
type Later = Verdict & { readonly type: 'later' }

/** A process may be held up for so long between telling the time and writing it down. */
const TOLERATED_FUTURE_MS = 5_000
/** What happened is written down within so much: what lies further back tells of a clock that was set. */
const WRITTEN_WITHIN_MS = 1_500

/**
 * The ledger's arithmetic: when every window has room for certain, whatever kind it may be of. docs/pacing.md tells why.
 *
 * @throws RangeError where a limit or the reserve is no number of units, or the reserve leaves nothing
 */
export function createQuotaModel({ limits: given = {}, reserve = 0 }: BookOptions = {}): LedgerBook {
  const limits = withDefaults(given)
  checkUnits(limits, reserve)
  const held: Readonly<Record<WindowName, number>> = { burst: 0, minute: 0, hour: reserve, day: reserve }
  const window = createWindowRoom(assumedLimit)
  const { charges } = window
  /** Those of them that refusals made: nobody knows whether they really were. */
  const refused = createCharges()
  const pending = createReservations()
  const refusals = createRefusals()
  const lessons = perWindow((name) => createLimitLesson(name, { isGiven: given[name] !== undefined }))
  const service = createServiceView(limits, charges)
  let newest = Number.NEGATIVE_INFINITY
  let inOrderTo = Number.NEGATIVE_INFINITY

  /** An instant far before the newest means that the clock was set back: nothing that is known can be later than it. */
  function passTime(now: number, isSet = false): void {
    if (isSet || now < newest - TOLERATED_FUTURE_MS) {
      pending.undate()
      for (const part of [window, refused, refusals, service, ...Object.values(lessons)]) part.clampTo(now)
      newest = now
    }
    newest = Math.max(newest, now)
    // What is dated by a clock before it was set and after proves nothing, however little it was.
    if (now < inOrderTo - WRITTEN_WITHIN_MS) {
      pending.undate()
      service.clampTo(now)
      inOrderTo = now
    }
    inOrderTo = Math.max(inOrderTo, now)
    window.forget(newest - bookMemoryMs)
    refused.forget(newest - bookMemoryMs)
  }

  /** A window's limit as assumed, or as told. */
  function assumedLimit(name: WindowName): number | null {
    const assumed = limits[name]
    return assumed !== null && name === 'minute' ? Math.min(assumed, service.minuteLimit()) : assumed
  }

  /** What of it is for us. */
  function ownLimit(name: WindowName): number | null {
    const limit = assumedLimit(name)
    return limit === null ? null : limit - held[name]
  }

  /** What of that is believed after refusals. */
  function limitOf(name: WindowName, now: number): number | null {
    const limit = ownLimit(name)
    return limit === null ? null : (lessons[name].belief(limit, now)?.limit ?? limit)
  }

  /** When a window has room for so many units; undefined where that depends on what is under way. */
  function fitsAt(name: WindowName, units: number, now: number): number | undefined {
    const limit = limitOf(name, now)
    if (limit === null) return name === 'minute' ? Math.max(now, service.rest.spentUntil(units)) : now
    if (name === 'minute' && service.rest.has(units, now)) return now
    // What is larger than the limit goes alone: the service may see it differently.
    const room = Math.max(limit, units) - units - pending.units()
    if (room < 0) return undefined
    const view = viewOf(name, now)
    const at = window.roomAt(name, room, now, view)
    return name === 'minute' ? Math.min(at, service.resetFitsAt(room, now, view.mayBe)) : at
  }

  /** What may be assumed of a window. The burst is over too soon to be worth it; what has refused is worth no trust. */
  function viewOf(name: WindowName, now: number): WindowView {
    const isSuspect = lessons[name].isSuspect(now)
    const mayBe = (kind: WindowKind) => isSuspect || service.mayBe(kind) || (name === 'burst' && kind !== 'counter')
    return { mayBe, offset: service.offset(now) }
  }

  function enter({ id, at, cost, afterSetting }: Reserve): void {
    passTime(at, afterSetting)
    const units = service.priceOf(cost)
    pending.enter(id, { sentAt: at, nominal: cost, units, isProbe: refusals.gate() !== undefined })
    service.rest.spend(units)
  }

  /** It never was. */
  function undo(id: string): void {
    const request = pending.take(id)
    if (request) service.rest.spend(-request.units)
  }

  function settle(id: string, outcome: PacingOutcome): void {
    if (outcome.type === 'not-sent') {
      undo(id)
      return
    }
    const request = pending.take(id)
    if (request === undefined) return
    const isSetBack = outcome.at < request.sentAt
    passTime(outcome.at, isSetBack)
    if (outcome.type === 'unanswered') {
      window.add(outcome.at, request.units)
      return
    }
    const { at, status } = outcome
    const report = isSetBack || request.isUndated ? {} : outcome.report
    service.seeClock({ ...request, answeredAt: at, report })
    if (status === 429 || status === 503) refuse(request, outcome)
    else learn(request, { ...outcome, report })
  }

  function learn(request: Reservation, { at, status, report }: Answered): void {
    const answered = { ...request, answeredAt: at, report }
    if (request.isProbe) refusals.lift()
    // What an answer of trouble was charged says nothing of the price.
    const isSuccess = status >= 200 && status < 300
    const { units, foreign } = isSuccess
      ? service.learn(answered, pending.units())
      : { units: request.units, foreign: 0 }
    if (foreign > 0) lessons.burst.seeOthers(at)
    window.add(at, units + foreign)
  }

  function refuse({ units, sentAt }: Reservation, { at, status, refusedBy, holdMs }: Answered): void {
    refusals.refuse({ at, status, window: refusedBy, askedMs: holdMs })
    if (status === 503) return
    const name = refusedBy ?? 'minute'
    const lengthMs = windowLengthMs[name]
    const used = loggedUnits(charges, lengthMs, at) - loggedUnits(refused, lengthMs, at) + pending.units()
    const limit = limits[name] ?? 0
    const isOurs = countedAtMost(lengthMs, sentAt) + pending.units() + units > limit
    lessons[name].learn({ used, limit, dearest: service.priceOf(endpoints.upload.cost), isOurs }, at)
    // Who predicts nothing is held back by what was refused, and by nothing else.
    if (name === 'minute' || limits.minute !== null) service.rest.refuse()
    window.add(at, units)
    refused.add(at, units)
  }

  /** What a counter may have held of our use at the most. */
  function countedAtMost(lengthMs: number, at: number): number {
    const offset = service.offset(at)
    return offset ? countedUnits({ charges, lengthMs, offset }, at) : loggedUnits(charges, 2 * lengthMs, at)
  }

  /** What a refusal says until it is over: nothing goes for a while, then one request at a time. */
  function heldBack(now: number): Later | undefined {
    const gate = refusals.gate()
    if (gate === undefined) return undefined
    const { window, source, until } = gate
    if (now < until) return { type: 'later', at: until, window, source }
    return pending.isProbing() ? { type: 'later', at: undefined, window, source } : undefined
  }

  function verdict(nominal: number, now: number): Verdict {
    passTime(now)
    const held = heldBack(now)
    if (held) return held
    let latest: Later | undefined
    for (const name of windowNames) {
      // Of this one the service itself has said when it has room again: that is for the probe to find out.
      if (name === refusals.gate()?.refusing) continue
      const at = fitsAt(name, service.priceOf(nominal), now)
      if (at === undefined) return { type: 'later', at, window: name, source: 'ledger' }
      if (at > (latest?.at ?? now)) latest = { type: 'later', at, window: name, source: 'ledger' }
    }
    return latest ?? { type: 'now' }
  }

  function neverFits(cost: number): NeverFits | undefined {
    // What a request is seen to cost more than a limit, the service allows all the same.
    const units = Math.min(cost, service.priceOf(cost))
    for (const window of windowNames) {
      const limit = (limits[window] ?? Number.POSITIVE_INFINITY) - held[window]
      if (limit < units) return { window, units, limit, reserve: held[window] }
    }
    return undefined
  }

  function standing(name: WindowName, now: number): QuotaWindow {
    const limit = ownLimit(name) ?? 0
    const believed = lessons[name].belief(limit, now)
    const used = charges.after(now - windowLengthMs[name]) + pending.units()
    const fits = ({ cost }: { readonly cost: number }) =>
      fitsAt(name, service.priceOf(cost), now) ?? now + windowLengthMs[name]
    const { upload, delete: deletion, stats } = endpoints
    const fitsAtOf = { upload: fits(upload), delete: fits(deletion), other: fits(stats) }
    const remaining = Math.max((believed?.limit ?? limit) - used, 0)
    return {
      limit,
      ...(believed && { believed: { ...believed, reason: 'refusal' } }),
      used,
      remaining,
      fitsAt: fitsAtOf,
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
    windows(now): Quota {
      passTime(now)
      const counted = windowNames.filter((name) => limits[name] !== null)
      return Object.fromEntries(counted.map((name) => [name, standing(name, now)]))
    },
  }
}

function perWindow<T>(create: (name: WindowName) => T): Readonly<Record<WindowName, T>> {
  return { burst: create('burst'), minute: create('minute'), hour: create('hour'), day: create('day') }
}
