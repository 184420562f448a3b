import { endpoints } from '../../protocol/endpoints.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import type { Later, LedgerEntry, QuotaModel } from '../ledger.ts'
import type { PacingOutcome, Quota, QuotaWindow } from '../pacer.ts'
import { createCharges } from '../quota-model/charges.ts'
import { quotaMemoryMs } from '../quota-model/quota-model.ts'

/** How time passes for a runner's share: at its usual rate up to `from`, and `factor` times slower after it. */
export interface Stretch {
  /** Epoch milliseconds; minus infinity where all time is stretched. */
  readonly from: number
  /** From 1 up. */
  readonly factor: number
  /** How much later than it might this runner uses its room: runners that are cut off together must not send together. */
  readonly lateMs: number
}

/** An instant so far before the newest one shows that the clock was set back, as for the model of all. */
const SET_BACK_MS = 5_000
/** For so long an answer tells what room the minute certainly has. */
const REMAINING_COUNTS_MS = windowLengthMs.minute + 2_000

/**
 * The model of a runner that is cut off from the others. Two counts have to agree. The model of all, in real time, knows
 * what this runner and, up to the cut, all runners used: it keeps the holds of refusals, and no request is refused because
 * of what it knows. The share then allows the whole limits in windows that are `factor` times as long, and at least one
 * request in each: a smaller limit might never have room for an upload.
 *
 * @param all without entries
 */
export function createStretchedModel(all: QuotaModel, stretch: Stretch): QuotaModel {
  const { from, factor, lateMs } = stretch
  const time = createStretchedTime(from, factor)
  const charges = createCharges()
  const underWay = new Map<string, number>()
  let newest = Number.NEGATIVE_INFINITY
  let pending = 0

  function passTime(now: number, isSet = false): void {
    if (isSet || now < newest - SET_BACK_MS) {
      time.clampTo(now)
      charges.clampTo(time.stretched(now))
      newest = now
    }
    newest = Math.max(newest, now)
    charges.forget(time.stretched(newest) - quotaMemoryMs)
  }

  function end(id: string, outcome: PacingOutcome | undefined): void {
    const cost = underWay.get(id)
    if (cost === undefined) return
    underWay.delete(id)
    pending -= cost
    if (outcome === undefined || outcome.type === 'not-sent') return
    passTime(outcome.at)
    const told = outcome.type === 'answered' && outcome.status < 300 ? outcome.report.cost : undefined
    charges.add(time.stretched(outcome.at), told || cost)
  }

  function count(entry: LedgerEntry): void {
    if (entry.type === 'reserve') {
      passTime(entry.at, entry.afterSetting)
      underWay.set(entry.id, entry.cost)
      pending += entry.cost
    } else end(entry.id, entry.type === 'settle' ? entry.outcome : undefined)
  }

  /** When the share of a window has room; undefined where that depends on requests under way. */
  function shareFitsAt(name: WindowName, units: number, limit: number, now: number): number | undefined {
    const room = Math.max(limit, units) - units - pending
    if (room < 0) return undefined
    const last = charges.lastBeyond(room)
    return last === undefined ? now : Math.max(now, time.real(last + windowLengthMs[name]) + lateMs)
  }

  /** Undefined where the share has room now. */
  function shareVerdict(cost: number, now: number, ahead: readonly number[] = []): Later | undefined {
    const units = ahead.reduce((sum, one) => sum + one, cost)
    const quota = all.windows(now)
    let latest: Later | undefined
    for (const name of windowNames) {
      const limit = quota[name]?.limit
      if (limit === undefined || limit === null) continue
      const at = shareFitsAt(name, units, limit, now)
      if (at === undefined) return { type: 'later', at, window: name, source: 'ledger' }
      if (at > (latest?.at ?? now)) latest = { type: 'later', at, window: name, source: 'ledger' }
    }
    return latest
  }

  function describe(name: WindowName, window: QuotaWindow, now: number): QuotaWindow {
    const { limit } = window
    if (limit === null) return window
    const used = charges.after(time.stretched(now) - windowLengthMs[name]) + pending
    const fits = (at: number, units: number) =>
      Math.max(at, shareFitsAt(name, units, limit, now) ?? now + factor * windowLengthMs[name])
    const { upload, delete: deletion, other } = window.fitsAt
    return {
      ...window,
      used: Math.max(window.used, used),
      remaining: Math.min(window.remaining ?? limit, Math.max(limit - used, 0)),
      fitsAt: {
        upload: fits(upload, endpoints.upload.cost),
        delete: fits(deletion, endpoints.delete.cost),
        other: fits(other, endpoints.stats.cost),
      },
    }
  }

  return {
    apply(entry) {
      all.apply(entry.type === 'settle' ? { ...entry, outcome: asAlone(entry.outcome, stretch) } : entry)
      count(entry)
    },
    verdict(cost, now, ahead) {
      passTime(now)
      const ofAll = all.verdict(cost, now, ahead)
      if (ofAll.type === 'later' && ofAll.at === undefined) return ofAll
      const ofShare = shareVerdict(cost, now, ahead)
      if (ofShare === undefined) return ofAll
      if (ofAll.type === 'later' && ofShare.at !== undefined && (ofAll.at ?? now) >= ofShare.at) return ofAll
      return ofShare
    },
    neverFits: (cost) => all.neverFits(cost),
    minute: all.minute,
    windows(now): Quota {
      passTime(now)
      const quota = Object.entries(all.windows(now)) as [WindowName, QuotaWindow][]
      return Object.fromEntries(quota.map(([name, window]) => [name, describe(name, window, now)]))
    },
  }
}

/** After the cut no room is certain, because others are told of the same; and others wait for the end of the same hold. */
function asAlone(outcome: PacingOutcome, { from, lateMs }: Stretch): PacingOutcome {
  if (outcome.type !== 'answered' || outcome.at <= from - REMAINING_COUNTS_MS) return outcome
  const { holdMs, at } = outcome
  const isLate = holdMs !== undefined && at > from
  return { ...withoutRoom(outcome), ...(isLate && { holdMs: holdMs + lateMs }) }
}

/** An outcome that tells nothing of the room in the minute. */
export function withoutRoom(outcome: PacingOutcome): PacingOutcome {
  if (outcome.type !== 'answered') return outcome
  const { remaining: _, resetAt: __, ...report } = outcome.report
  return { ...outcome, report }
}

/** Between real instants and those of the stretched time; both in milliseconds. */
function createStretchedTime(cutAt: number, factor: number) {
  let from = cutAt
  return {
    stretched(at: number): number {
      if (from === Number.NEGATIVE_INFINITY) return at / factor
      return at <= from ? at : from + (at - from) / factor
    },
    real(instant: number): number {
      if (from === Number.NEGATIVE_INFINITY) return instant * factor
      return instant <= from ? instant : from + (instant - from) * factor
    },
    /** The clock was set back: the stretch continues from there. */
    clampTo(now: number): void {
      from = Math.min(from, now)
    },
  }
}
