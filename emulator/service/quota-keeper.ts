import { endpoints } from '../../src/protocol/endpoints.ts'
import type { QuotaLimits, WindowName } from '../../src/protocol/rate-limits.ts'
import type { SettingsStore } from '../settings.ts'
import type { AccountRecord, RecordStore } from '../storage/record-store.ts'
import { openWindow } from './fixed-window.ts'
import { type Claim, fitsAt, judge, type Verdict } from './quota.ts'

/** One window of an account; instants in epoch milliseconds. */
export interface WindowReport {
  /** Null where the window is unlimited, and so is what remains. */
  readonly limit: number | null
  readonly used: number
  readonly remaining: number | null
  /** Null while no window is open: the next charge begins one. */
  readonly resetsAt: number | null
  /** When a request of each cost is let through by this window; null where it never will be. */
  readonly fitsAt: { readonly upload: number | null; readonly delete: number | null; readonly other: number | null }
}

export interface QuotaKeeper {
  /** Rules on a request and charges it; as a whole, so that parallel requests cannot overshoot (spec 8). */
  charge(account: AccountRecord, cost: number, now: number): Verdict
  report(account: AccountRecord, now: number): Readonly<Record<WindowName, WindowReport>>
}

interface QuotaKeeperContext {
  readonly records: RecordStore
  readonly settings: SettingsStore
}

export function createQuotaKeeper({ records: { quotas }, settings }: QuotaKeeperContext): QuotaKeeper {
  const limitsOf = (account: AccountRecord): QuotaLimits =>
    account.quotas === null ? settings.current.quotas : { ...settings.current.quotas, ...account.quotas }

  return {
    charge(account, cost, now) {
      const verdict = judge({ state: quotas.get(account.keyHash), limits: limitsOf(account), cost, now })
      if (verdict.refusal === undefined) quotas.put(account.keyHash, verdict.state)
      return verdict
    },
    report(account, now) {
      const books = { state: quotas.get(account.keyHash), limits: limitsOf(account), now }
      return {
        burst: reportWindow('burst', books),
        minute: reportWindow('minute', books),
        hour: reportWindow('hour', books),
        day: reportWindow('day', books),
      }
    },
  }
}

function reportWindow(name: WindowName, books: Omit<Claim, 'cost'>): WindowReport {
  const limit = books.limits[name]
  const open = openWindow(name, books.state[name], books.now)
  const used = open?.units ?? 0
  return {
    limit,
    used,
    remaining: limit === null ? null : Math.max(limit - used, 0),
    resetsAt: open?.endsAt ?? null,
    fitsAt: {
      upload: fitsAt(name, { ...books, cost: endpoints.upload.cost }),
      delete: fitsAt(name, { ...books, cost: endpoints.delete.cost }),
      other: fitsAt(name, { ...books, cost: endpoints.stats.cost }),
    },
  }
}
