import { endpoints } from '../../../src/protocol/endpoints.ts'
import type { QuotaLimits, WindowName } from '../../../src/protocol/rate-limits.ts'
import type { SettingsStore } from '../../settings/settings.ts'
import type { AccountRecord, QuotaState, RecordStore } from '../../storage/record-store.ts'
import type { Charge } from '../../storage/window-use.ts'
import { fitsAt, judge, refund, reportedStanding, type Verdict } from './quota.ts'
import { emptyAt, type QuotaBooks, usedUnits, type WindowStanding, windowOf } from './quota-window.ts'
import { setBack } from './windows/set-back.ts'

/** One window of an account; instants in epoch milliseconds. */
export interface WindowReport {
  /** Null where the window is unlimited, and so is what remains. */
  readonly limit: number | null
  readonly used: number
  readonly remaining: number | null
  /** When nothing is used any more; null while nothing is. */
  readonly resetsAt: number | null
  /** When a request of each cost is let through by this window; null where it never will be. */
  readonly fitsAt: { readonly upload: number | null; readonly delete: number | null; readonly other: number | null }
}

export interface QuotaKeeper {
  /** Rules on a request and charges it; as a whole, so that parallel requests cannot overshoot (spec 8). */
  charge(account: AccountRecord, cost: number, now: number): Verdict
  /**
   * Takes a charge back.
   * @returns where the window stands that headers tell of; undefined where there is no limit to tell of
   */
  refund(account: AccountRecord, charge: Charge, now: number): WindowStanding | undefined
  /** Where the window stands that headers tell of; without an account, one that was never charged. */
  standing(account: AccountRecord | undefined, now: number): WindowStanding | undefined
  report(account: AccountRecord, now: number): Readonly<Record<WindowName, WindowReport>>
}

interface QuotaKeeperContext {
  readonly records: RecordStore
  readonly settings: SettingsStore
}

export function createQuotaKeeper({ records: { quotas }, settings }: QuotaKeeperContext): QuotaKeeper {
  const limitsOf = (account: AccountRecord | undefined): QuotaLimits =>
    account?.quotas ? { ...settings.current.quotas, ...account.quotas } : settings.current.quotas

  /** Kept as it is moved: windows stand still on a clock that was set back unless they go on from there. */
  const stateOf = ({ keyHash }: AccountRecord, now: number): QuotaState => {
    const kept = quotas.get(keyHash)
    const state = setBack(kept, now)
    if (state !== kept) quotas.put(keyHash, state)
    return state
  }

  const booksOf = (account: AccountRecord | undefined, now: number): QuotaBooks => ({
    state: account === undefined ? {} : stateOf(account, now),
    limits: limitsOf(account),
    rules: settings.current,
    now,
  })

  return {
    charge(account, cost, now) {
      const state = stateOf(account, now)
      const verdict = judge({ state, limits: limitsOf(account), rules: settings.current, now, cost })
      if (verdict.state !== state) quotas.put(account.keyHash, verdict.state)
      return verdict
    },
    refund(account, charge, now) {
      const books = booksOf(account, now)
      // A key that was regenerated meanwhile has nothing to give back to.
      if (Object.keys(books.state).length === 0) return reportedStanding(books)
      const state = refund(books, { ...charge, at: Math.min(charge.at, now) })
      quotas.put(account.keyHash, state)
      return reportedStanding({ ...books, state })
    },
    standing: (account, now) => reportedStanding(booksOf(account, now)),
    report(account, now) {
      const books = booksOf(account, now)
      return {
        burst: reportWindow('burst', books),
        minute: reportWindow('minute', books),
        hour: reportWindow('hour', books),
        day: reportWindow('day', books),
      }
    },
  }
}

function reportWindow(name: WindowName, books: QuotaBooks): WindowReport {
  const window = windowOf(name, books)
  const { limit } = window
  const used = usedUnits(window)
  return {
    limit,
    used,
    remaining: limit === null ? null : Math.max(limit - used, 0),
    resetsAt: emptyAt(window),
    fitsAt: {
      upload: fitsAt(window, endpoints.upload.cost, books.rules),
      delete: fitsAt(window, endpoints.delete.cost, books.rules),
      other: fitsAt(window, endpoints.stats.cost, books.rules),
    },
  }
}
