import type { Moment } from '../../../emulator/service/quota/windows/window-kind.ts'
import type { WindowUse } from '../../../emulator/storage/window-use.ts'
import { type WindowName, windowLengthMs, windowNames } from '../../../src/protocol/rate-limits.ts'
import { modelKind, type ServiceModel } from './model.ts'

/** What a service has charged one key, and when it has room again. Instants are epoch milliseconds, never going back. */
export interface Books {
  /** The first window without room for that cost; undefined where all have it. */
  refusing(cost: number, now: number): WindowName | undefined
  charge(names: readonly WindowName[], cost: number, now: number): void
  /** When that window takes that cost, should nothing else be charged. */
  fitsAt(name: WindowName, cost: number, now: number): number
  used(name: WindowName, now: number): number
  /** When that window is empty, should nothing else be charged. */
  emptyAt(name: WindowName, now: number): number
}

export function createBooks({ kinds, limits }: Pick<ServiceModel, 'kinds' | 'limits'>): Books {
  const uses: { [Name in WindowName]?: WindowUse } = {}
  const momentOf = (name: WindowName, now: number): Moment => ({
    now,
    lengthMs: windowLengthMs[name],
    limit: limits[name],
  })
  const used = (name: WindowName, now: number) => modelKind(kinds[name]).used(uses[name], momentOf(name, now))

  return {
    used,
    refusing: (cost, now) => windowNames.find((name) => used(name, now) + cost > limits[name]),
    charge(names, cost, now) {
      for (const name of names) uses[name] = modelKind(kinds[name]).charged(uses[name], cost, momentOf(name, now))
    },
    fitsAt: (name, cost, now) => modelKind(kinds[name]).fallsTo(uses[name], limits[name] - cost, momentOf(name, now)),
    emptyAt: (name, now) => modelKind(kinds[name]).fallsTo(uses[name], 0, momentOf(name, now)),
  }
}
