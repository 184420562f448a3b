import { type QuotaLimits, type WindowKind, windowNames } from '../../src/protocol/rate-limits.ts'
import { allOf } from '../../test/pacing/simulation/model.ts'
import { createServiceQuota } from '../../test/pacing/simulation/service-quota.ts'

/**
 * How long the last of these requests must wait for a client that knows the service's own count, each being charged in this
 * order as soon as every window has room.
 *
 * @param costs of the requests, in units
 */
export function optimum(
  kind: WindowKind,
  limits: Record<keyof QuotaLimits, number>,
  startAt: number,
  costs: number[],
): number {
  const quota = createServiceQuota({ kinds: allOf(kind), limits })
  let now = startAt
  for (const cost of costs) {
    for (let full = quota.refusing(cost, now); full !== undefined; full = quota.refusing(cost, now)) {
      now = Math.max(quota.fitsAt(full, cost, now), now + 1)
    }
    quota.charge(windowNames, cost, now)
  }
  return now - startAt
}
