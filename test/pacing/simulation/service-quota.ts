import type { WindowMoment } from '../../../emulator/service/quota/sliding-windows.ts'
import type { WindowUse } from '../../../emulator/storage/record-types.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../../src/protocol/rate-limits.ts'
import { modelKind, type ServiceModel } from './model.ts'

export function createServiceQuota({ kinds, limits }: Pick<ServiceModel, 'kinds' | 'limits'>) {
  const uses: { [Name in WindowName]?: WindowUse } = {}
  const momentOf = (name: WindowName, now: number): WindowMoment => ({
    now,
    lengthMs: windowLengthMs[name],
    limit: limits[name],
  })
  const used = (name: WindowName, now: number) => modelKind(kinds[name]).used(uses[name], momentOf(name, now))

  return {
    used,
    /** The first window without room for that cost; undefined where all have room. */
    refusing: (cost: number, now: number) => windowNames.find((name) => used(name, now) + cost > limits[name]),
    charge(names: readonly WindowName[], cost: number, now: number) {
      for (const name of names) uses[name] = modelKind(kinds[name]).charged(uses[name], cost, momentOf(name, now))
    },
    /** When that window has room for that cost, if nothing else is charged. */
    fitsAt: (name: WindowName, cost: number, now: number) =>
      modelKind(kinds[name]).availableAt(uses[name], limits[name] - cost, momentOf(name, now)),
    /** When that window is empty, if nothing else is charged. */
    emptyAt: (name: WindowName, now: number) => modelKind(kinds[name]).availableAt(uses[name], 0, momentOf(name, now)),
  }
}

/** A service's own count for one key. Times are epoch milliseconds and never go back. */
export type ServiceQuota = ReturnType<typeof createServiceQuota>
