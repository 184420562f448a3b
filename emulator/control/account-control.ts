import type { QuotaLimits, WindowName } from '../../src/protocol/rate-limits.ts'
import type { EmulatorClock } from '../clock.ts'
import type { WindowReport } from '../service/quota/quota-keeper.ts'
import type { Service } from '../service/service.ts'
import type { AccountRecord } from '../storage/record-store.ts'
import { type AccountPatch, type NewAccountFields, parseAccountPatch, parseNewAccount } from './account-patch.ts'
import { type AddedUploads, parseUploadBatch, type UploadBatch } from './upload-batch.ts'

/** An account as the control API shows it; its key and password are told once, when it is created. */
export interface AccountInfo {
  readonly id: number
  readonly email: string
  readonly suspended: boolean
  readonly suspension_reason: string | null
  readonly ip_allowlist: readonly string[]
  /** Null where it has the service's limits. */
  readonly quotas: Partial<QuotaLimits> | null
  readonly albums: number
  readonly feed_views: number
}

export interface CreatedAccount {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly api_key: string
}

/** One window of an account; instants are ISO 8601. */
export interface WindowInfo {
  /** Null where the window is unlimited, and so is what remains. */
  readonly limit: number | null
  readonly used: number
  readonly remaining: number | null
  /** Null while no window is open. */
  readonly resets_at: string | null
  /** When a request of each cost is let through; null where it never will be. */
  readonly fits_at: { readonly upload: string | null; readonly delete: string | null; readonly other: string | null }
}

/** Every call with an id throws a MissingRecordError where there is no such account. */
export interface AccountControl {
  /**
   * One account per test keeps tests apart.
   * @throws TypeError saying what a field takes; TakenError where another account has the key or the email
   */
  create(fields?: NewAccountFields): CreatedAccount
  /** The first account first. */
  list(): readonly AccountInfo[]
  get(id: number): AccountInfo
  /** @throws TypeError saying what a field takes */
  update(id: number, patch: AccountPatch): AccountInfo
  /** Removes the account with its uploads. */
  delete(id: number): Promise<{ readonly deleted: true }>
  /** The old key is dead at once (spec 5.9). */
  regenerateKey(id: number): { readonly api_key: string }
  quota(id: number): Readonly<Record<WindowName, WindowInfo>>
  /**
   * Adds uploads that nobody sent; a million of them takes seconds.
   * @throws TypeError saying what a field takes
   */
  addUploads(id: number, batch: UploadBatch): AddedUploads
}

export function createAccountControl({ accounts, quota, uploads }: Service, clock: EmulatorClock): AccountControl {
  return {
    create(fields = {}) {
      const { settings, ...options } = parseNewAccount(fields)
      const { account, password, apiKey } = accounts.create(options)
      accounts.update(account.id, settings)
      return { id: account.id, email: account.email, password, api_key: apiKey }
    },
    list: () => accounts.all().map(presentAccount),
    get: (id) => presentAccount(accounts.get(id)),
    update: (id, patch) => presentAccount(accounts.update(id, parseAccountPatch(patch))),
    async delete(id) {
      await accounts.remove(id)
      return { deleted: true }
    },
    regenerateKey: (id) => ({ api_key: accounts.regenerateKey(id) }),
    quota: (id) => presentWindows(quota.report(accounts.get(id), clock.now())),
    addUploads(id, batch) {
      const parsed = parseUploadBatch(batch, clock.now())
      return { created: parsed.count, slugs: uploads.addSynthetic(id, parsed) }
    },
  }
}

function presentAccount(account: AccountRecord): AccountInfo {
  return {
    id: account.id,
    email: account.email,
    suspended: account.suspended,
    suspension_reason: account.suspensionReason,
    ip_allowlist: account.ipAllowlist,
    quotas: account.quotas,
    albums: account.albums,
    feed_views: account.feedViews,
  }
}

function presentWindows(windows: Readonly<Record<WindowName, WindowReport>>): Record<WindowName, WindowInfo> {
  const { burst, minute, hour, day } = windows
  return {
    burst: presentWindow(burst),
    minute: presentWindow(minute),
    hour: presentWindow(hour),
    day: presentWindow(day),
  }
}

function presentWindow({ limit, used, remaining, resetsAt, fitsAt }: WindowReport): WindowInfo {
  return {
    limit,
    used,
    remaining,
    resets_at: isoOrNull(resetsAt),
    fits_at: {
      upload: isoOrNull(fitsAt.upload),
      delete: isoOrNull(fitsAt.delete),
      other: isoOrNull(fitsAt.other),
    },
  }
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString()
}
