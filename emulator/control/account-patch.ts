import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { AccountSettings, NewAccountOptions } from '../service/accounts.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import { listOf } from '../values/codec.ts'
import { type FieldTypes, readFields } from '../values/fields.ts'
import { apiKey, count, nonEmptyText, orNull, text, trueOrFalse } from '../values/value-type.ts'

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

const patchFields = {
  suspended: trueOrFalse,
  suspension_reason: orNull(text),
  ip_allowlist: listOf(text),
  quotas: orNull(quotaLimits),
  albums: count,
  feed_views: count,
} satisfies FieldTypes<AccountPatch>

const newAccountFields = {
  api_key: apiKey,
  email: nonEmptyText,
  password: nonEmptyText,
  ...patchFields,
} satisfies FieldTypes<NewAccountFields>

/** @throws TypeError saying what a field takes */
export function parseAccountPatch(patch: AccountPatch): AccountSettings {
  return toSettings(readFields(patch, patchFields))
}

/** @throws TypeError saying what a field takes */
export function parseNewAccount(fields: NewAccountFields): NewAccountOptions & { readonly settings: AccountSettings } {
  const { api_key, email, password, ...patch } = readFields(fields, newAccountFields)
  return { apiKey: api_key, email, password, settings: toSettings(patch) }
}

function toSettings(patch: AccountPatch): AccountSettings {
  const { suspended, suspension_reason, ip_allowlist, quotas, albums, feed_views } = patch
  return {
    ...(suspended === undefined ? {} : { suspended }),
    ...(suspension_reason === undefined ? {} : { suspensionReason: suspension_reason }),
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: ip_allowlist }),
    ...(quotas === undefined ? {} : { quotas }),
    ...(albums === undefined ? {} : { albums }),
    ...(feed_views === undefined ? {} : { feedViews: feed_views }),
  }
}
