import { windowNames } from '../../../src/protocol/rate-limits.ts'
import type { ServiceModel } from './model.ts'
import { createServiceQuota } from './service-quota.ts'

/**
 * How long the last of so many uploads must wait for a client that knows the kinds, the limits and the clock of the
 * service, and whose uploads take no time: each is charged as soon as every window has room.
 *
 * @param startAt epoch milliseconds
 */
export function optimumMs(model: Pick<ServiceModel, 'kinds' | 'limits'>, files: number, startAt: number): number {
  const quota = createServiceQuota(model)
  let now = Math.ceil(startAt)
  for (let file = 0; file < files; file += 1) {
    for (let refusing = quota.refusing(10, now); refusing !== undefined; refusing = quota.refusing(10, now)) {
      // At least a millisecond later, in case rounding promised room too early.
      now = Math.max(quota.fitsAt(refusing, 10, now), now + 1)
    }
    quota.charge(windowNames, 10, now)
  }
  return now - startAt
}
