import { endpoints } from '../../../src/protocol/endpoints.ts'
import {
  perWindow,
  type QuotaLimits,
  type WindowKind,
  type WindowName,
  windowKinds,
  windowLengthMs,
  windowNames,
} from '../../../src/protocol/rate-limits.ts'
import type { Settings } from '../../settings/settings.ts'
import type { AccountRecord, QuotaState, WindowUse } from '../../storage/record-types.ts'
import { type Codec, objectOf, unionOf } from '../../values/codec.ts'
import { count, instant, oneOf } from '../../values/value-type.ts'
import type { QuotaRefusal } from '../refusal.ts'
import type { ServiceParts } from '../service-parts.ts'
import {
  type Charge,
  periodStart,
  slidingCounter,
  slidingWindow,
  tokenBucket,
  type WindowMoment,
  type WindowRules,
} from './sliding-windows.ts'

interface SteppedUse extends WindowUse {
  readonly kind: 'fixed' | 'aligned'
  readonly startedAt: number
  readonly units: number
}

type Start = (moment: Pick<WindowMoment, 'now' | 'lengthMs'>) => number

/**
 * A window that counts up and resets at its end.
 * @param startOf when a window starts whose first charge is made now
 */
function steppedWindow(kind: SteppedUse['kind'], startOf: Start): WindowRules<SteppedUse> {
  const open = (use: SteppedUse | undefined, { now, lengthMs }: WindowMoment) =>
    use !== undefined && now < use.startedAt + lengthMs ? use : undefined

  return {
    codec: objectOf({ kind: oneOf(kind), startedAt: instant, units: count }),
    used: (use, moment) => open(use, moment)?.units ?? 0,
    charged(use, units, moment) {
      const current = open(use, moment)
      if (current === undefined) return { kind, startedAt: startOf(moment), units }
      return { kind, startedAt: current.startedAt, units: current.units + units }
    },
    refunded(use, charge, moment) {
      const current = open(use, moment)
      if (current === undefined || charge.at < current.startedAt) return use
      return { ...current, units: Math.max(current.units - charge.units, 0) }
    },
    availableAt(use, units, moment) {
      const current = open(use, moment)
      return current === undefined || current.units <= units ? moment.now : current.startedAt + moment.lengthMs
    },
    clamped: (use, moment) => (use.startedAt > moment.now ? { ...use, startedAt: startOf(moment) } : use),
  }
}

const fixedWindow = steppedWindow('fixed', ({ now }) => now)

const alignedWindow = steppedWindow('aligned', periodStart)

/** By the value of the setting `quota_windows`. */
export const windowRules: Readonly<Record<WindowKind, WindowRules>> = {
  fixed: fixedWindow,
  aligned: alignedWindow,
  sliding: slidingWindow,
  sliding_counter: slidingCounter,
  token_bucket: tokenBucket,
}

const codecOf = (kind: WindowKind) => [kind, windowRules[kind].codec] as const

/** The charges of a window of any kind. */
export const windowUse = unionOf<WindowUse, unknown, 'kind'>(
  'kind',
  Object.fromEntries(windowKinds.map(codecOf)) as Record<WindowKind, Codec<WindowUse, unknown>>,
)

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
interface KeyWindow extends WindowMoment {
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
function convertUse(kind: WindowKind, use: WindowUse | undefined, moment: WindowMoment): WindowUse | undefined {
  if (use === undefined || use.kind === kind) return use
  const units = windowRules[use.kind].used(use, moment)
  return units === 0 ? undefined : windowRules[kind].charged(undefined, units, moment)
}

/** Units that count against the limit now. */
export function usedUnits(window: KeyWindow): number {
  return window.kind.used(window.use, window)
}

/** When no units count any more; null if none count now. Epoch milliseconds. */
function emptyAt(window: KeyWindow): number | null {
  return usedUnits(window) === 0 ? null : window.kind.availableAt(window.use, 0, window)
}

/** Like {@link emptyAt}; an unused window counts as charged just now. */
function resetOf(window: KeyWindow): number {
  return emptyAt(window) ?? window.kind.availableAt(window.kind.charged(undefined, 1, window), 0, window)
}

/** The window's status; undefined if it is unlimited. */
function statusOf(window: KeyWindow): WindowStatus | undefined {
  const { limit } = window
  if (limit === null) return undefined
  return { limit, remaining: Math.max(limit - usedUnits(window), 0), resetsAt: resetOf(window) }
}

/**
 * Removes future instants from windows after the clock was set back. The charges stay, as if the last had been made
 * just now: setting the clock back frees no units and adds no waiting time.
 * @returns the given state itself if it has no future instant
 */
function clampToNow(state: QuotaState, now: number): QuotaState {
  let clamped = state
  for (const name of windowNames) {
    const use = state[name]
    if (use === undefined) continue
    const present = windowRules[use.kind].clamped(use, { now, lengthMs: windowLengthMs[name] })
    if (present !== use) clamped = { ...clamped, [name]: present }
  }
  return clamped
}

/** A request to charge, with the state of its key. */
interface ChargeRequest extends QuotaMoment {
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
export function stateWithout(view: QuotaMoment, earlier: Charge): QuotaState {
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
function windowToReport(view: QuotaMoment): WindowStatus | undefined {
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

/** The quotas of all accounts, and what their keys were charged. */
export function createQuotaKeeper({
  records: { accounts, requests },
  settings,
}: Pick<ServiceParts, 'records' | 'settings'>) {
  const limitsOf = (account: AccountRecord | undefined): QuotaLimits =>
    account?.quotas ? { ...settings.current.quotas, ...account.quotas } : settings.current.quotas

  /** A request may still be answered when its key was replaced: that one's charges are forgotten (spec 8). */
  const store = (account: AccountRecord, state: QuotaState) => {
    if (accounts.hasKey(account)) requests.setCharge(account.id, state)
  }

  /** Stored as moved, so that windows keep passing after the clock was set back. */
  const clampedState = (account: AccountRecord, now: number): QuotaState => {
    const kept = accounts.hasKey(account) ? requests.chargeOf(account.id) : {}
    const state = clampToNow(kept, now)
    if (state !== kept) store(account, state)
    return state
  }

  const viewOf = (account: AccountRecord | undefined, now: number): QuotaMoment => ({
    state: account === undefined ? {} : clampedState(account, now),
    limits: limitsOf(account),
    rules: settings.current,
    now,
  })

  return {
    /** Checks and charges a request in one step, so that parallel requests cannot exceed a limit (spec 8). */
    charge(account: AccountRecord, cost: number, now: number): QuotaVerdict {
      const state = clampedState(account, now)
      const verdict = decideCharge({ state, limits: limitsOf(account), rules: settings.current, now, cost })
      if (verdict.state !== state) store(account, verdict.state)
      return verdict
    },
    /**
     * Takes a charge back.
     * @returns the window that the headers report; undefined if it has no limit
     */
    refund(account: AccountRecord, charge: Charge, now: number): WindowStatus | undefined {
      const view = viewOf(account, now)
      // A regenerated key has no charges to take back.
      if (Object.keys(view.state).length === 0) return windowToReport(view)
      const state = stateWithout(view, { ...charge, at: Math.min(charge.at, now) })
      store(account, state)
      return windowToReport({ ...view, state })
    },
    /** The window that the headers report; without an account, an unused one. */
    reportedWindow: (account: AccountRecord | undefined, now: number): WindowStatus | undefined =>
      windowToReport(viewOf(account, now)),
    report(account: AccountRecord, now: number): Readonly<Record<WindowName, WindowReport>> {
      const view = viewOf(account, now)
      return perWindow((name) => reportWindow(name, view))
    },
  }
}

function reportWindow(name: WindowName, view: QuotaMoment) {
  const window = windowOf(name, view)
  const { limit } = window
  const used = usedUnits(window)
  return {
    /** Null if the window is unlimited, like `remaining`. */
    limit,
    used,
    remaining: limit === null ? null : Math.max(limit - used, 0),
    /** When no units count any more; null if none count now. */
    resetsAt: emptyAt(window),
    /** When this window has room for a request of each cost; null means never. */
    fitsAt: {
      upload: fitsAt(window, endpoints.upload.cost, view.rules),
      delete: fitsAt(window, endpoints.delete.cost, view.rules),
      other: fitsAt(window, endpoints.stats.cost, view.rules),
    },
  }
}

/** One window of an account; instants in epoch milliseconds. */
export type WindowReport = ReturnType<typeof reportWindow>
