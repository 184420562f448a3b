import { type QuotaLimits, type WindowName, windowLengthMs, windowNames } from '../../src/protocol/rate-limits.ts'
import type { QuotaState, WindowUse } from '../storage/record-store.ts'
import { charged, openWindow } from './fixed-window.ts'
import type { QuotaRefusal } from './refusal.ts'

/** A request that wants to be charged. */
export interface Claim {
  readonly state: QuotaState
  readonly limits: QuotaLimits
  readonly cost: number
  /** Epoch milliseconds. */
  readonly now: number
}

/** What became of a claim. A refused one is not charged at all. */
export interface Verdict {
  /** The windows afterwards. */
  readonly state: QuotaState
  readonly refusal?: QuotaRefusal
  /** How long the answer is held back as a warning (spec 8.3). */
  readonly delayMs: number
  /** Where the minute stands, which is what headers tell of (spec 8.1); absent where it is unlimited. */
  readonly minute?: WindowStanding
}

export interface WindowStanding {
  readonly limit: number
  readonly remaining: number
  /** When the window ends, or would end if it began now; epoch milliseconds. */
  readonly resetsAt: number
}

/**
 * Rules on a claim: every window must have room for the whole cost, then all are charged together. The first window
 * without room, in the order burst, minute, hour, day, is the one that refuses (spec 8.5).
 */
export function judge(claim: Claim): Verdict {
  const refusing = windowNames.find((name) => !hasRoom(claim, name))
  const state = refusing === undefined ? charge(claim) : claim.state
  const minute = standing('minute', { ...claim, state })
  return {
    state,
    delayMs: refusing === undefined && minute !== undefined ? softDelayMs(minute) : 0,
    ...(refusing === undefined ? {} : { refusal: refuse(claim, refusing) }),
    ...(minute === undefined ? {} : { minute }),
  }
}

/** When a window takes a cost: now, when it ends, or never (null); epoch milliseconds. */
export function fitsAt(name: WindowName, { state, limits, cost, now }: Claim): number | null {
  const limit = limits[name]
  const open = openWindow(name, state[name], now)
  if (limit === null || (open?.units ?? 0) + cost <= limit) return now
  return cost <= limit ? (open?.endsAt ?? now) : null
}

/** Where one window stands; undefined where it is unlimited. */
function standing(name: WindowName, { state, limits, now }: Omit<Claim, 'cost'>): WindowStanding | undefined {
  const limit = limits[name]
  if (limit === null) return undefined
  const open = openWindow(name, state[name], now)
  return {
    limit,
    remaining: Math.max(limit - (open?.units ?? 0), 0),
    resetsAt: open?.endsAt ?? now + windowLengthMs[name],
  }
}

function hasRoom({ state, limits, cost, now }: Claim, name: WindowName): boolean {
  const limit = limits[name]
  return limit === null || (openWindow(name, state[name], now)?.units ?? 0) + cost <= limit
}

function charge({ state, cost, now }: Claim): QuotaState {
  const after = (name: WindowName): WindowUse => charged(openWindow(name, state[name], now), name, cost, now)
  return { burst: after('burst'), minute: after('minute'), hour: after('hour'), day: after('day') }
}

function refuse({ state, now }: Claim, window: WindowName): QuotaRefusal {
  const retryAt = openWindow(window, state[window], now)?.endsAt ?? now + windowLengthMs[window]
  return { kind: 'quota-exceeded', window, retryAt }
}

/** From 80 % of the minute the delay grows evenly, to two seconds when all of it is used (spec 8.3). */
const delayFromShare = 0.8
const longestDelayMs = 2_000

function softDelayMs({ limit, remaining }: WindowStanding): number {
  if (limit === 0) return 0
  const share = (limit - remaining) / limit
  return Math.max(Math.round(((share - delayFromShare) / (1 - delayFromShare)) * longestDelayMs), 0)
}
