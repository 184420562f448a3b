import {
  defaultLimits,
  type QuotaLimits,
  type WindowName,
  windowLengthMs,
  windowNames,
} from '../../protocol/rate-limits.ts'
import type { RateReport } from '../rate-headers.ts'
import { type ChargeView, marginMs } from './charges.ts'
import type { WindowInference } from './inference/window-inference.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  readonly sentAt: number
  readonly answeredAt: number
  /** Its price by the spec, in units. */
  readonly nominal: number
  /** What was reserved for it, in units. */
  readonly units: number
  readonly report: RateReport
}

/** Services tell the time in whole seconds. */
const WHOLE_SECOND_MS = 1_000

/** What successful answers say about the service: prices, the minute's limit and what remains of it. */
export function createServiceView(limits: QuotaLimits, charges: ChargeView, inference: WindowInference) {
  const prices = new Map<number, number>()
  const reported = createReportedRemaining()
  let minuteLimit = Number.POSITIVE_INFINITY

  /** @returns units of the minute that none of our requests can have used */
  function learnRemaining({ sentAt, answeredAt, units, report }: AnsweredRequest, pendingUnits: number): number {
    const { limit = limits.minute, remaining, resetAt, serverNow = answeredAt } = report
    if (remaining === undefined || !describesMinute(limit)) return 0
    if (report.limit !== undefined) minuteLimit = report.limit
    const used = limit === null ? 0 : limit - remaining
    const foreign = Math.max(used - inference.minuteUseAtMost(sentAt) - pendingUnits - units, 0)
    const endsAt = resetAt === undefined ? undefined : answeredAt + resetAt - serverNow + WHOLE_SECOND_MS
    // A charge dated to the very instant of sending may also have come after this one.
    const left = remaining - charges.after(sentAt - 1) - pendingUnits
    reported.report(left, answeredAt, endsAt, foreign > 0)
    if (limit !== null) {
      // Without Limit the Reset may be another window's, without Date it cannot be placed in time.
      const isPlaced = report.limit !== undefined && report.serverNow !== undefined
      const minute = { sentAt, answeredAt, units, used, limit, resetAt: isPlaced ? resetAt : undefined }
      inference.seeMinute(minute, pendingUnits)
    }
    return foreign
  }

  /** Some services report the window with least left; its limit shows which one it is. */
  function describesMinute(limit: number | null): boolean {
    const isOf = (name: WindowName) => limit === (limits[name] ?? defaultLimits[name])
    return limit === null || isOf('minute') || !windowNames.some(isOf)
  }

  return {
    reported,
    priceOf: (nominal: number) => prices.get(nominal) ?? nominal,
    /** The minute's limit as reported; infinite before that. */
    minuteLimit: () => minuteLimit,
    /**
     * Learns from a success.
     * @param pendingUnits of our requests that are still under way
     * @returns units charged for the request, and those that other users of the key must have been charged
     */
    learn(request: AnsweredRequest, pendingUnits: number) {
      const { cost = 0 } = request.report
      const isPlausible = cost >= 1 && cost <= (limits.minute ?? cost)
      if (isPlausible) prices.set(request.nominal, cost)
      const units = isPlausible ? cost : request.units
      return { units, foreign: learnRemaining({ ...request, units }, pendingUnits) }
    },
  }
}

const memoryMs = windowLengthMs.minute + marginMs(windowLengthMs.minute)

/**
 * The least that is left of the minute, according to the service. In a window of any kind free units only become fewer
 * by a charge, so an answer's Remaining, less everything charged since, is certainly free.
 */
function createReportedRemaining() {
  let left = Number.POSITIVE_INFINITY
  let reportedAt = Number.NEGATIVE_INFINITY
  let foreignAt = Number.NEGATIVE_INFINITY
  let endsAt = Number.NEGATIVE_INFINITY

  return {
    /**
     * @param remaining an answer's, less the costs of all requests that may have been charged after it was made
     * @param toldEnd when the minute ends by this machine's clock, if the service says so
     * @param isForeign whether the answer shows use by others
     */
    report(remaining: number, at: number, toldEnd = at, isForeign = false): void {
      const isFresh = at - reportedAt < memoryMs && !isForeign
      // Overlapping requests are each subtracted from the other's report, so each is too low: the highest counts.
      left = isFresh ? Math.max(left, remaining) : remaining
      reportedAt = at
      if (isForeign) foreignAt = at
      endsAt = toldEnd > at && toldEnd < at + memoryMs ? toldEnd : at + memoryMs
    },
    /** Reserves units; a negative amount returns them. */
    spend(units: number): void {
      left -= units
    },
    /** The minute has refused; the refusal itself says how long to wait. */
    refuse(): void {
      left = 0
      endsAt = Number.NEGATIVE_INFINITY
    },
    /** Whether so many units are certainly free: not if others use the key, and not a minute after the last report. */
    has: (units: number, now: number) => left >= units && now - reportedAt < memoryMs && now - foreignAt >= memoryMs,
    /** How long a request waits because the service reports too few units left (spec 8.4). */
    spentUntil: (units: number) => (left < units ? endsAt : Number.NEGATIVE_INFINITY),
    clampTo(now: number): void {
      reportedAt = Math.min(reportedAt, now)
      foreignAt = Math.min(foreignAt, now)
      endsAt = Math.min(endsAt, reportedAt + memoryMs)
    },
  }
}

/** After a refusal the headers are not believed for so long: a service may keep a quota that it does not show. */
const DISTRUST_MS = windowLengthMs.day

/**
 * Knows whether the account has no quota at all: the latest success of every price says so, and nothing was refused for a
 * day. Calls of different prices are different endpoints, and one that shows a quota outweighs all others.
 */
export function createAbsentQuota() {
  /** By the price of the spec. */
  const shown = new Map<number, boolean>()
  let refusedAt = Number.NEGATIVE_INFINITY

  return {
    /** @param nominal the price of the request by the spec, in units */
    see(nominal: number, { isCostAlone, limit, remaining }: RateReport): void {
      // A service without X-RateLimit headers, or a proxy that removes some of them, shows neither.
      if (isCostAlone) shown.set(nominal, false)
      else if (limit !== undefined || remaining !== undefined) shown.set(nominal, true)
    },
    /** A 429. */
    refuse(at: number): void {
      shown.clear()
      refusedAt = at
    },
    isKnown: (now: number) =>
      shown.size > 0 && now - refusedAt >= DISTRUST_MS && [...shown.values()].every((hasQuota) => !hasQuota),
    clampTo(now: number): void {
      refusedAt = Math.min(refusedAt, now)
    },
  }
}
