import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { AccountSettings } from '../service/accounts.ts'
import { quotaLimits, readQuotaLimits } from '../setting-kinds.ts'
import { count, flag, type PatchFields, parsePatch, textList, textOrNull } from './patch.ts'

/** What can be changed about an account. */
export interface AccountPatch {
  readonly suspended?: boolean
  /** Shown instead of the usual text while suspended; null restores that. */
  readonly suspension_reason?: string | null
  /** Addresses and CIDR ranges; an entry that is neither matches nobody, an empty list lets everybody in. */
  readonly ip_allowlist?: readonly string[]
  /** Limits of its own, replacing those it had; null restores the service's. */
  readonly quotas?: Partial<QuotaLimits> | null
  readonly albums?: number
  readonly feed_views?: number
}

const fields: PatchFields<AccountPatch> = {
  suspended: flag,
  suspension_reason: textOrNull,
  ip_allowlist: textList,
  quotas: {
    accepts: `${quotaLimits.accepts}, or null`,
    accept: (value): value is Partial<QuotaLimits> | null => value === null || readQuotaLimits(value) !== undefined,
  },
  albums: count,
  feed_views: count,
}

/** @throws TypeError saying what a field takes */
export function parseAccountPatch(patch: AccountPatch): AccountSettings {
  const { suspended, suspension_reason, ip_allowlist, quotas, albums, feed_views } = parsePatch(patch, fields)
  return {
    ...(suspended === undefined ? {} : { suspended }),
    ...(suspension_reason === undefined ? {} : { suspensionReason: suspension_reason }),
    // Copied, for what was allowed must not change with the caller's array.
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: [...ip_allowlist] }),
    ...(quotas === undefined ? {} : { quotas: quotas && { ...quotas } }),
    ...(albums === undefined ? {} : { albums }),
    ...(feed_views === undefined ? {} : { feedViews: feed_views }),
  }
}
