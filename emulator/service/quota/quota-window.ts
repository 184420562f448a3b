import {
  type QuotaLimits,
  type WindowKind,
  type WindowName,
  windowLengthMs,
  windowNames,
} from '../../../src/protocol/rate-limits.ts'
import type { Settings } from '../../settings/settings.ts'
import type { QuotaState, WindowUse } from '../../storage/record-types.ts'
import { windowRules } from './windows/window-kinds.ts'
import type { WindowMoment, WindowRules } from './windows/window-rules.ts'

/** The settings that govern quotas. */
export type QuotaRules = Pick<
  Settings,
  'quota_windows' | 'quota_admission' | 'charge_rejected' | 'soft_delay' | 'remaining_scope'
>

/** The state, limits and rules of a key's windows at one instant. */
export interface QuotaMoment {
  readonly state: QuotaState
  readonly limits: QuotaLimits
  readonly rules: QuotaRules
  /** Epoch milliseconds. */
  readonly now: number
}

/** One window of a key at one instant. */
export interface KeyWindow extends WindowMoment {
  readonly name: WindowName
  readonly kind: WindowRules
  /** A use of that kind; a charge replaces it. */
  use: WindowUse | undefined
}

export interface WindowStatus {
  readonly limit: number
  readonly remaining: number
  /** When the whole limit is available again; an unused window counts as charged just now. Epoch milliseconds. */
  readonly resetsAt: number
}

export function windowOf(name: WindowName, { state, limits, rules, now }: QuotaMoment): KeyWindow {
  const kind = windowRules[rules.quota_windows]
  const window = { name, kind, use: state[name], now, lengthMs: windowLengthMs[name], limit: limits[name] }
  window.use = convertUse(rules.quota_windows, window.use, window)
  return window
}

/**
 * Converts a use to another kind of window after the setting changed: the units that count now become one charge of
 * this instant.
 */
export function convertUse(kind: WindowKind, use: WindowUse | undefined, moment: WindowMoment): WindowUse | undefined {
  if (use === undefined || use.kind === kind) return use
  const units = windowRules[use.kind].used(use, moment)
  return units === 0 ? undefined : windowRules[kind].charged(undefined, units, moment)
}

/** Units that count against the limit now. */
export function usedUnits(window: KeyWindow): number {
  return window.kind.used(window.use, window)
}

/** When no units count any more; null if none count now. Epoch milliseconds. */
export function emptyAt(window: KeyWindow): number | null {
  return usedUnits(window) === 0 ? null : window.kind.availableAt(window.use, 0, window)
}

/** Like {@link emptyAt}; an unused window counts as charged just now. */
export function resetOf(window: KeyWindow): number {
  return emptyAt(window) ?? window.kind.availableAt(window.kind.charged(undefined, 1, window), 0, window)
}

/** The window's status; undefined if it is unlimited. */
export function statusOf(window: KeyWindow): WindowStatus | undefined {
  const { limit } = window
  if (limit === null) return undefined
  return { limit, remaining: Math.max(limit - usedUnits(window), 0), resetsAt: resetOf(window) }
}

/**
 * Removes future instants from windows after the clock was set back. The charges stay, as if the last had been made
 * just now: setting the clock back frees no units and adds no waiting time.
 * @returns the given state itself if it has no future instant
 */
export function clampToNow(state: QuotaState, now: number): QuotaState {
  let clamped = state
  for (const name of windowNames) {
    const use = state[name]
    if (use === undefined) continue
    const present = windowRules[use.kind].clamped(use, { now, lengthMs: windowLengthMs[name] })
    if (present !== use) clamped = { ...clamped, [name]: present }
  }
  return clamped
}
