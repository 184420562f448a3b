import { type WindowName, windowNames } from '../../../src/protocol/rate-limits.ts'
import type { QuotaState } from '../../storage/record-store.ts'
import type { Charge, WindowUse } from '../../storage/window-use.ts'
import type { QuotaRefusal } from '../refusal.ts'
import {
  charged,
  type QuotaBooks,
  type QuotaRules,
  type QuotaWindow,
  resetOf,
  standingOf,
  usedUnits,
  type WindowStanding,
  windowOf,
} from './quota-window.ts'
import { softDelayMs } from './soft-delay.ts'

/** A request that wants to be charged. */
export interface Claim extends QuotaBooks {
  readonly cost: number
}

/** What became of a claim. */
export interface Verdict {
  /** The windows afterwards; the very object of the claim where nothing changed. */
  readonly state: QuotaState
  readonly refusal?: QuotaRefusal
  /** Units charged; a refused claim may be charged as well. */
  readonly charged: number
  /** When, in epoch milliseconds. */
  readonly at: number
  /** How long the answer is held back as a warning (spec 8.3). */
  readonly delayMs: number
  /** What the headers tell of (spec 8.1); undefined where nothing they could tell of is limited. */
  readonly standing: WindowStanding | undefined
}

/**
 * Rules on a claim: every window must have room, then all are charged together. The first window without room, in the
 * order burst, minute, hour, day, is the one that refuses (spec 8.5).
 */
export function judge(claim: Claim): Verdict {
  const { rules, cost, state, now } = claim
  const before = everyWindow(claim)
  const refusing = before.findIndex((window) => !hasRoom(window, claim))
  const isRefused = refusing !== -1
  const isCharged = !isRefused || rules.charge_rejected || rules.quota_admission === 'charge_first'
  const after = isCharged ? before.map((window) => charged(window, cost)) : before
  const minute = standingOf(windowAt(after, minuteIndex))
  return {
    state: after.every(({ name, use }) => use === state[name]) ? state : stateOf(after),
    charged: isCharged ? cost : 0,
    at: now,
    delayMs: isRefused ? 0 : softDelayMs(rules.soft_delay, minute),
    ...(isRefused ? { refusal: refuse(windowAt(after, refusing), claim) } : {}),
    standing: rules.remaining_scope === 'minute' ? minute : tightest(after),
  }
}

/** The windows without a charge made earlier. */
export function refund(books: QuotaBooks, earlier: Charge): QuotaState {
  return stateOf(
    everyWindow(books).map((window) => {
      const { use, kind } = window
      return use === undefined ? window : { ...window, use: kind.refunded(use, earlier, window) }
    }),
  )
}

/** When a window takes a cost, should nothing else be charged: now, later, or never (null); epoch milliseconds. */
export function fitsAt(window: QuotaWindow, cost: number, rules: QuotaRules): number | null {
  const most = mostUsedBefore(window.limit, cost, rules)
  if (most < 0) return null
  return most === Number.POSITIVE_INFINITY ? window.now : window.kind.fallsTo(window.use, most, window)
}

/** Where the window stands that the headers tell of; undefined where there is no limit to tell of. */
export function reportedStanding(books: QuotaBooks): WindowStanding | undefined {
  return books.rules.remaining_scope === 'minute' ? standingOf(windowOf('minute', books)) : tightest(everyWindow(books))
}

const minuteIndex = windowNames.indexOf('minute')

function everyWindow(books: QuotaBooks): readonly QuotaWindow[] {
  return windowNames.map((name) => windowOf(name, books))
}

function windowAt(windows: readonly QuotaWindow[], index: number): QuotaWindow {
  const window = windows[index]
  if (window === undefined) throw new RangeError(`There is no window ${index}`)
  return window
}

function tightest(windows: readonly QuotaWindow[]): WindowStanding | undefined {
  let least: WindowStanding | undefined
  for (const window of windows) {
    const standing = standingOf(window)
    if (standing !== undefined && (least === undefined || standing.remaining < least.remaining)) least = standing
  }
  return least
}

/** How much may be in use for a cost to be let in: infinite without a limit, below zero where nothing helps. */
function mostUsedBefore(limit: number | null, cost: number, { quota_admission }: QuotaRules): number {
  if (limit === null) return Number.POSITIVE_INFINITY
  return quota_admission === 'overshoot' ? limit - 1 : limit - cost
}

function hasRoom(window: QuotaWindow, { cost, rules }: Claim): boolean {
  return window.limit === null || usedUnits(window) <= mostUsedBefore(window.limit, cost, rules)
}

function refuse(window: QuotaWindow, { cost, rules }: Claim): QuotaRefusal {
  return { kind: 'quota-exceeded', window: window.name, retryAt: fitsAt(window, cost, rules) ?? resetOf(window) }
}

function stateOf(windows: readonly QuotaWindow[]): QuotaState {
  const state: { -readonly [Name in WindowName]?: WindowUse } = {}
  for (const { name, use } of windows) if (use !== undefined) state[name] = use
  return state
}
