import { type QuotaLimits, type WindowName, windowLengthMs } from '../../../src/protocol/rate-limits.ts'
import type { Settings } from '../../settings/settings.ts'
import type { QuotaState } from '../../storage/record-store.ts'
import type { WindowUse } from '../../storage/window-use.ts'
import type { Moment, WindowKind } from './windows/window-kind.ts'
import { ofKind, windowKind } from './windows/window-kinds.ts'

/** The settings that rule on quota. */
export type QuotaRules = Pick<
  Settings,
  'quota_windows' | 'quota_admission' | 'charge_rejected' | 'soft_delay' | 'remaining_scope'
>

/** A key's windows at an instant, with the rules they obey. */
export interface QuotaBooks {
  readonly state: QuotaState
  readonly limits: QuotaLimits
  readonly rules: QuotaRules
  /** Epoch milliseconds. */
  readonly now: number
}

/** One window of a key at an instant. */
export interface QuotaWindow extends Moment {
  readonly name: WindowName
  readonly kind: WindowKind
  /** In the form of the kind. */
  readonly use: WindowUse | undefined
}

export interface WindowStanding {
  readonly limit: number
  readonly remaining: number
  /** When all of the limit is there again, or would be had the window been charged just now; epoch milliseconds. */
  readonly resetsAt: number
}

export function windowOf(name: WindowName, { state, limits, rules, now }: QuotaBooks): QuotaWindow {
  const moment = { now, lengthMs: windowLengthMs[name], limit: limits[name] }
  const use = ofKind(rules.quota_windows, state[name], moment)
  return { name, kind: windowKind(rules.quota_windows), use, now, lengthMs: moment.lengthMs, limit: moment.limit }
}

/** The window after a charge made now. */
export function charged(window: QuotaWindow, units: number): QuotaWindow {
  const { name, kind, now, lengthMs, limit } = window
  return { name, kind, use: kind.charged(window.use, units, window), now, lengthMs, limit }
}

/** Units that count in a window now. */
export function usedUnits(window: QuotaWindow): number {
  return window.kind.used(window.use, window)
}

/** When nothing counts in a window any more; null where nothing does. Epoch milliseconds. */
export function emptyAt(window: QuotaWindow): number | null {
  return usedUnits(window) === 0 ? null : window.kind.fallsTo(window.use, 0, window)
}

/** As {@link emptyAt}; an unused window is taken as if one unit were charged now. */
export function resetOf(window: QuotaWindow): number {
  return emptyAt(window) ?? window.kind.fallsTo(window.kind.charged(undefined, 1, window), 0, window)
}

/** Where a window stands; undefined where it is unlimited. */
export function standingOf(window: QuotaWindow): WindowStanding | undefined {
  const { limit } = window
  if (limit === null) return undefined
  return { limit, remaining: Math.max(limit - usedUnits(window), 0), resetsAt: resetOf(window) }
}
