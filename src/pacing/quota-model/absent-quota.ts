import { windowLengthMs } from '../../protocol/rate-limits.ts'
import type { RateReport } from '../rate-headers.ts'

/** After a refusal the headers are not believed for so long: a service may keep a quota that it does not show. */
const DISTRUST_MS = windowLengthMs.day

/**
 * Whether a success shows that there is a quota; undefined where it shows neither. A service without X-RateLimit headers,
 * or a proxy that removes some of them, shows neither.
 */
export function showsQuota({ isCostAlone, limit, remaining }: RateReport): boolean | undefined {
  if (isCostAlone !== undefined) return !isCostAlone
  return limit !== undefined || remaining !== undefined ? true : undefined
}

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
    see(nominal: number, report: RateReport): void {
      const shows = showsQuota(report)
      if (shows !== undefined) shown.set(nominal, shows)
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
