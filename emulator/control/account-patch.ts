import { isKey } from '../../src/protocol/endpoints.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { AccountSettings, NewAccountOptions } from '../service/accounts.ts'
import { quotaLimits, readQuotaLimits } from '../settings/quota-limits.ts'
import { count, flag, nonEmptyText, type PatchFields, parsePatch, textList, textOrNull } from '../values/patch.ts'

/** Changes to an account. */
export interface AccountPatch {
  readonly suspended?: boolean
  /** Replaces the usual message while suspended; null restores it. */
  readonly suspension_reason?: string | null
  /** Addresses and CIDR ranges. An invalid entry matches no address; an empty list admits every address. */
  readonly ip_allowlist?: readonly string[]
  /** Limits of its own, replacing all it had; null restores the service's. */
  readonly quotas?: Partial<QuotaLimits> | null
  readonly albums?: number
  readonly feed_views?: number
}

/** The fields of a new account; the key, email and password are random by default. */
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
    // Headers and query parameters would lose surrounding blanks.
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
    // Copied, so that later changes to the caller's array have no effect.
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: [...ip_allowlist] }),
    ...(quotas === undefined ? {} : { quotas: quotas && { ...quotas } }),
    ...(albums === undefined ? {} : { albums }),
    ...(feed_views === undefined ? {} : { feedViews: feed_views }),
  }
}
