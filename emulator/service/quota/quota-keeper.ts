import { endpoints } from '../../../src/protocol/endpoints.ts'
import { perWindow, type QuotaLimits, type WindowName } from '../../../src/protocol/rate-limits.ts'
import type { AccountRecord, QuotaState } from '../../storage/record-types.ts'
import type { ServiceParts } from '../service-parts.ts'
import { decideCharge, fitsAt, type QuotaVerdict, refund, reportedWindow } from './quota.ts'
import { clampToNow, emptyAt, type QuotaMoment, usedUnits, type WindowStatus, windowOf } from './quota-window.ts'
import type { Charge } from './windows/window-rules.ts'

export function createQuotaKeeper({
  records: { accounts, requests },
  settings,
}: Pick<ServiceParts, 'records' | 'settings'>) {
  const limitsOf = (account: AccountRecord | undefined): QuotaLimits =>
    account?.quotas ? { ...settings.current.quotas, ...account.quotas } : settings.current.quotas

  /** A request may still be answered when its key was replaced: that one's charges are forgotten (spec 8). */
  const isInForce = ({ id, keyHash }: AccountRecord) => accounts.findByKeyHash(keyHash)?.id === id
  const store = (account: AccountRecord, state: QuotaState) => {
    if (isInForce(account)) requests.setCharge(account.id, state)
  }

  /** Stored as moved, so that windows keep passing after the clock was set back. */
  const stateOf = (account: AccountRecord, now: number): QuotaState => {
    const kept = isInForce(account) ? requests.chargeOf(account.id) : {}
    const state = clampToNow(kept, now)
    if (state !== kept) store(account, state)
    return state
  }

  const viewOf = (account: AccountRecord | undefined, now: number): QuotaMoment => ({
    state: account === undefined ? {} : stateOf(account, now),
    limits: limitsOf(account),
    rules: settings.current,
    now,
  })

  return {
    /** Checks and charges a request in one step, so that parallel requests cannot exceed a limit (spec 8). */
    charge(account: AccountRecord, cost: number, now: number): QuotaVerdict {
      const state = stateOf(account, now)
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
      if (Object.keys(view.state).length === 0) return reportedWindow(view)
      const state = refund(view, { ...charge, at: Math.min(charge.at, now) })
      store(account, state)
      return reportedWindow({ ...view, state })
    },
    /** The window that the headers report; without an account, an unused one. */
    reportedWindow: (account: AccountRecord | undefined, now: number): WindowStatus | undefined =>
      reportedWindow(viewOf(account, now)),
    report(account: AccountRecord, now: number): Readonly<Record<WindowName, WindowReport>> {
      const view = viewOf(account, now)
      return perWindow((name) => reportWindow(name, view))
    },
    /** The window of an account that resets next; undefined if no units count now. `at`: epoch milliseconds. */
    nextReset(account: AccountRecord, now: number) {
      const view = viewOf(account, now)
      let next: { readonly window: WindowName; readonly at: number } | undefined
      for (const window of Object.keys(view.state) as WindowName[]) {
        const at = emptyAt(windowOf(window, view))
        if (at !== null && (next === undefined || at < next.at)) next = { window, at }
      }
      return next
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
