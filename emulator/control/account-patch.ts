import { isKey } from '../../src/protocol/endpoints.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { AccountSettings, NewAccountOptions } from '../service/accounts.ts'
import { quotaLimits, readQuotaLimits } from '../settings/quota-limits.ts'
import { count, flag, nonEmptyText, type PatchFields, parsePatch, textList, textOrNull } from '../values/patch.ts'

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

/** What an account can be given when it is created; what is not given is made up. */
export interface NewAccountFields extends AccountPatch {
  readonly api_key?: string
  readonly email?: string
  readonly password?: string
}

const patchFields: PatchFields<AccountPatch> = {
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

const newAccountFields: PatchFields<NewAccountFields> = {
  api_key: {
    accepts: 'one or more visible ASCII characters',
    // A key has to survive a header and a query parameter, where blanks around it would be lost.
    accept: (value): value is string => typeof value === 'string' && isKey(value),
  },
  email: nonEmptyText,
  password: nonEmptyText,
  ...patchFields,
}

/** @throws TypeError saying what a field takes */
export function parseAccountPatch(patch: AccountPatch): AccountSettings {
  return toSettings(parsePatch(patch, patchFields))
}

/** @throws TypeError saying what a field takes */
export function parseNewAccount(fields: NewAccountFields): NewAccountOptions & { readonly settings: AccountSettings } {
  const { api_key, email, password, ...patch } = parsePatch(fields, newAccountFields)
  return { apiKey: api_key, email, password, settings: toSettings(patch) }
}

function toSettings(patch: AccountPatch): AccountSettings {
  const { suspended, suspension_reason, ip_allowlist, quotas, albums, feed_views } = patch
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
