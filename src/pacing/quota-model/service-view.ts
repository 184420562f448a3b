import {
  defaultLimits,
  type QuotaLimits,
  type WindowName,
  windowLengthMs,
  windowNames,
} from '../../protocol/rate-limits.ts'
import type { RateReport } from '../rate-report.ts'
import type { ChargeView } from './charges.ts'
import { countedUnits } from './inference/clock-windows.ts'
import { createResetProof } from './inference/reset-proof.ts'
import { createKindProof } from './inference/window-kind-elimination.ts'
import { createMinuteRest } from './reported-remaining.ts'
import { agedOffset, bothOffsets, type ClockOffset, narrowOffset, toldOffset } from './service-clock.ts'
import { loggedUnits } from './sliding-log.ts'
import type { WindowKind } from './window-kinds.ts'

/** A request that was answered. */
export interface AnsweredRequest {
  readonly sentAt: number
  readonly answeredAt: number
  /** What it costs by the spec, and what it was reserved with, in units. */
  readonly nominal: number
  readonly units: number
  readonly report: RateReport
}

/** Services tell the time in whole seconds. */
const WHOLE_SECOND_MS = 1_000

/** What successful answers tell of the service: prices, the minute's limit and rest, its clock, and its kind of window. */
export function createServiceView(limits: QuotaLimits, charges: ChargeView) {
  const lengthMs = windowLengthMs.minute
  const prices = new Map<number, number>()
  const kindProof = createKindProof(lengthMs)
  const rest = createMinuteRest()
  const resetProof = createResetProof(lengthMs)
  let minuteLimit = Number.POSITIVE_INFINITY
  let offset: ClockOffset | undefined

  /** What the request was charged; X-RateLimit-Cost is believed where it can be true. */
  function learnPrice({ nominal, units, report: { cost } }: AnsweredRequest): number {
    if (cost === undefined || cost < 1 || cost > (limits.minute ?? cost)) return units
    prices.set(nominal, cost)
    return cost
  }

  /** @returns units of the minute that are in use although neither this nor any other of our requests used them */
  function learnRest({ sentAt, answeredAt, report }: AnsweredRequest, units: number, pendingUnits: number): number {
    const { limit = limits.minute, remaining, resetAt, serverNow = answeredAt } = report
    if (remaining === undefined || !tellsOfMinute(limit)) return 0
    if (report.limit !== undefined) minuteLimit = report.limit
    const used = limit === null ? 0 : limit - remaining
    const foreign = Math.max(used - explained(sentAt) - pendingUnits - units, 0)
    rest.tell({
      // What is dated to the very instant of sending may have been charged after this one as well.
      remaining: remaining - charges.after(sentAt - 1) - pendingUnits,
      at: answeredAt,
      endsAt: resetAt === undefined ? undefined : answeredAt + resetAt - serverNow + WHOLE_SECOND_MS,
      isForeign: foreign > 0,
    })
    if (limit !== null) kindProof.see({ sentAt, answeredAt, units, used, limit }, offset)
    // Without a limit it may be another window that ends then, without Date it may be at any time.
    if (report.limit !== undefined && resetAt !== undefined && report.serverNow !== undefined && offset) {
      const sighting = { sentAt, answeredAt, units, used, resetAt }
      resetProof.see(sighting, offset, (instant) => charges.after(instant) + pendingUnits)
    }
    return foreign
  }

  /** Some services tell of whichever window is tightest; its limit says which. */
  function tellsOfMinute(limit: number | null): boolean {
    const isOf = (name: WindowName) => limit === (limits[name] ?? defaultLimits[name])
    return limit === null || isOf('minute') || !windowNames.some(isOf)
  }

  /** The most of the minute that our own requests can have used when one was sent. */
  function explained(sentAt: number): number {
    if (!kindProof.mayBe('counter')) return loggedUnits(charges, lengthMs, sentAt)
    if (offset === undefined) return loggedUnits(charges, 2 * lengthMs, sentAt)
    return Math.max(loggedUnits(charges, lengthMs, sentAt), countedUnits({ charges, lengthMs, offset }, sentAt))
  }

  return {
    rest,
    priceOf: (nominal: number) => prices.get(nominal) ?? nominal,
    /** The minute's limit as told; infinite where it was not. */
    minuteLimit: () => minuteLimit,
    /** Undefined where no answer has told the service's time. */
    offset: (now: number) => offset && agedOffset(offset, now),
    /** Whether windows may be of a kind. */
    mayBe: kindProof.mayBe,
    /**
     * When the minute has come down to `room` because it ends as a whole at a Reset that has proved true; infinite where
     * it is not known to end so. What was charged about then or later may count in the next minute.
     *
     * @param mayBe the kinds of window that the minute may be of: those that forget bit by bit end at no Reset
     */
    resetFitsAt(room: number, now: number, mayBe: (kind: WindowKind) => boolean): number {
      if (mayBe('log') || mayBe('counter') || mayBe('bucket')) return Number.POSITIVE_INFINITY
      const end = resetProof.end(offset && agedOffset(offset, now))
      if (end === undefined || charges.after(end.earliest) > room) return Number.POSITIVE_INFINITY
      return Math.max(now, end.latest)
    },
    seeClock({ sentAt, answeredAt, report: { serverNow } }: AnsweredRequest): void {
      if (serverNow === undefined) return
      const told = { serverNow, sentAt, answeredAt }
      if (offset && bothOffsets(offset, toldOffset(told)) === undefined) {
        kindProof.forget()
        resetProof.forget()
      }
      offset = narrowOffset(offset, told)
    },
    /**
     * Learns from a success.
     * @param pendingUnits of the requests that are still under way
     * @returns what it was charged, and what others must have been charged meanwhile
     */
    learn(request: AnsweredRequest, pendingUnits: number): { readonly units: number; readonly foreign: number } {
      const units = learnPrice(request)
      return { units, foreign: learnRest(request, units, pendingUnits) }
    },
    /** This machine's clock has been set back. */
    clampTo(now: number): void {
      rest.clampTo(now)
      kindProof.forget()
      resetProof.forget()
      offset = undefined
    },
  }
}
