import { type WindowName, windowNames } from '../../../src/protocol/rate-limits.ts'
import type { Settings } from '../../settings/settings.ts'
import type { QuotaState, WindowUse } from '../../storage/record-types.ts'
import type { QuotaRefusal } from '../refusal.ts'
import {
  type KeyWindow,
  type QuotaMoment,
  type QuotaRules,
  resetOf,
  statusOf,
  usedUnits,
  type WindowStatus,
  windowOf,
} from './quota-window.ts'
import type { Charge } from './windows/window-rules.ts'

/** A request to charge, with the state of its key. */
export interface ChargeRequest extends QuotaMoment {
  readonly cost: number
}

/** The decision on a request, and what it charged. */
export interface QuotaVerdict {
  /** The windows afterwards; the same object if nothing changed. */
  readonly state: QuotaState
  readonly refusal?: QuotaRefusal
  /** What a refused request lacked. */
  readonly shortage?: Shortage
  /** Charged units; a refused request may be charged too. */
  readonly charged: number
  /** Epoch milliseconds. */
  readonly at: number
  /** How long to delay the reply as a warning (spec 8.3). */
  readonly delayMs: number
  /** The window that the headers report (spec 8.1); undefined if it has no limit. */
  readonly reportedWindow: WindowStatus | undefined
  /** Before the request: less to keep than its windows. */
  readonly moment: QuotaMoment
}

/** How full a window was for a request. */
export interface Shortage {
  readonly window: WindowName
  readonly limit: number
  /** Units, before the request. */
  readonly used: number
  readonly needed: number
  /** When the request will fit; null means never. Epoch milliseconds. */
  readonly fitsAt: number | null
}

/**
 * Decides on a request: every window must have room, then all are charged. The first window without room, in the order
 * burst, minute, hour, day, refuses (spec 8.5).
 */
export function decideCharge(request: ChargeRequest): QuotaVerdict {
  const { rules, cost, state, now } = request
  const windows = everyWindow(request)
  const full = windows.find((window) => !hasRoom(window, request))
  const usedBefore = full === undefined ? 0 : usedUnits(full)
  const isCharged = full === undefined || rules.charge_rejected || rules.quota_admission === 'charge_first'
  if (isCharged) for (const window of windows) window.use = window.kind.charged(window.use, cost, window)
  const minute = minuteOf(windows)
  const verdict: QuotaVerdict = {
    state: windows.every(({ name, use }) => use === state[name]) ? state : stateOf(windows),
    charged: isCharged ? cost : 0,
    at: now,
    delayMs: full === undefined ? softDelayMs(rules.soft_delay, minute) : 0,
    reportedWindow: reported(windows, rules, minute),
    moment: request,
  }
  // Not spread within: what stands behind a spread takes ten times as long, on every request.
  return full === undefined ? verdict : { ...verdict, ...refusalBy(full, usedBefore, request) }
}

/** The windows without an earlier charge. */
export function refund(view: QuotaMoment, earlier: Charge): QuotaState {
  return stateOf(
    everyWindow(view).map((window) => {
      const { use, kind } = window
      return use === undefined ? window : { ...window, use: kind.refunded(use, earlier, window) }
    }),
  )
}

/** When a window has room for a cost if nothing else is charged: now, later, or null for never; epoch milliseconds. */
export function fitsAt(window: KeyWindow, cost: number, rules: QuotaRules): number | null {
  const most = maxUsedBefore(window.limit, cost, rules)
  if (most < 0) return null
  return most === Number.POSITIVE_INFINITY ? window.now : window.kind.availableAt(window.use, most, window)
}

/** The window that the headers report; undefined if it has no limit. */
export function reportedWindow(view: QuotaMoment): WindowStatus | undefined {
  return reported(everyWindow(view), view.rules)
}

/** Only an account without any limit shows none, so that clients can tell. */
function reported(windows: readonly KeyWindow[], rules: QuotaRules, ofMinute = minuteOf(windows)) {
  const minute = rules.remaining_scope === 'minute' ? ofMinute : undefined
  return minute ?? tightest(windows)
}

function minuteOf(windows: readonly KeyWindow[]): WindowStatus | undefined {
  const minute = windows.find(({ name }) => name === 'minute')
  return minute && statusOf(minute)
}

function everyWindow(view: QuotaMoment): readonly KeyWindow[] {
  return windowNames.map((name) => windowOf(name, view))
}

function tightest(windows: readonly KeyWindow[]): WindowStatus | undefined {
  let least: WindowStatus | undefined
  for (const window of windows) {
    const status = statusOf(window)
    if (status !== undefined && (least === undefined || status.remaining < least.remaining)) least = status
  }
  return least
}

/** The highest use at which a cost is still admitted: infinite without a limit, negative if the cost never fits. */
function maxUsedBefore(limit: number | null, cost: number, { quota_admission }: QuotaRules): number {
  if (limit === null) return Number.POSITIVE_INFINITY
  return quota_admission === 'overshoot' ? limit - 1 : limit - cost
}

function hasRoom(window: KeyWindow, { cost, rules }: ChargeRequest): boolean {
  return window.limit === null || usedUnits(window) <= maxUsedBefore(window.limit, cost, rules)
}

/** @param used before the request */
function refusalBy(
  window: KeyWindow,
  used: number,
  { cost, rules }: ChargeRequest,
): Required<Pick<QuotaVerdict, 'refusal' | 'shortage'>> {
  const { name, limit } = window
  const fits = fitsAt(window, cost, rules)
  return {
    refusal: { kind: 'quota-exceeded', window: name, retryAt: fits ?? resetOf(window) },
    shortage: { window: name, limit: limit ?? 0, used, needed: cost, fitsAt: fits },
  }
}

function stateOf(windows: readonly KeyWindow[]): QuotaState {
  const state: { -readonly [Name in WindowName]?: WindowUse } = {}
  for (const { name, use } of windows) if (use !== undefined) state[name] = use
  return state
}

/** Replies are delayed from this share of the minute's limit on (spec 8.3). */
const delayFromShare = 0.8
const maxDelayMs = 2_000

/** How long to delay a reply as a warning; `linear` grows from 0 to the maximum at the limit. */
export function softDelayMs(delay: Settings['soft_delay'], minute: WindowStatus | undefined): number {
  if (delay === 'off' || minute === undefined || minute.limit === 0) return 0
  const share = (minute.limit - minute.remaining) / minute.limit
  if (share < delayFromShare) return 0
  if (delay === 'fixed') return maxDelayMs
  return Math.round(((share - delayFromShare) / (1 - delayFromShare)) * maxDelayMs)
}
