import type { QuotaLimits, WindowName } from '../../src/protocol/rate-limits.ts'
import type { EmulatorClock } from '../clock.ts'
import type { WindowReport } from '../service/quota/quota-keeper.ts'
import type { Service } from '../service/service.ts'
import type { AccountRecord } from '../storage/record-store.ts'
import { type AccountPatch, type NewAccountFields, parseAccountPatch, parseNewAccount } from './account-patch.ts'
import { type AddedUploads, parseUploadBatch, type UploadBatch } from './upload-batch.ts'

/** An account. Its key and password are shown only in the answer that creates it. */
export interface AccountInfo {
  readonly id: number
  readonly email: string
  readonly suspended: boolean
  readonly suspension_reason: string | null
  readonly ip_allowlist: readonly string[]
  /** Null if the service's limits apply. */
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
  /** Null if the window is unlimited; `remaining` is null then too. */
  readonly limit: number | null
  readonly used: number
  readonly remaining: number | null
  /** Null while no window is open. */
  readonly resets_at: string | null
  /** When a request of each kind next fits; null if it never does. */
  readonly fits_at: { readonly upload: string | null; readonly delete: string | null; readonly other: string | null }
}

/** Every call with an id throws a MissingRecordError if there is no such account. */
export interface AccountControl {
  /**
   * One account per test isolates tests from each other.
   * @throws TypeError saying what a field takes; TakenError if another account has the key or the email
   */
  create(fields?: NewAccountFields): CreatedAccount
  /** The first account first. */
  list(): readonly AccountInfo[]
  get(id: number): AccountInfo
  /** @throws TypeError saying what a field takes */
  update(id: number, patch: AccountPatch): AccountInfo
  /** Removes the account with its uploads. */
  delete(id: number): Promise<{ readonly deleted: true }>
  /** The old key stops working at once (spec 5.9). */
  regenerateKey(id: number): { readonly api_key: string }
  quota(id: number): Readonly<Record<WindowName, WindowInfo>>
  /**
   * Adds synthetic uploads; a million take seconds.
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
