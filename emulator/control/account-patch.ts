import type { AccountSettings, NewAccountOptions } from '../service/accounts.ts'
import type { GivenQuotas } from '../settings/quota-limits.ts'
import { accountSettings } from '../storage/records.ts'
import type { JsonFieldsOf } from '../values/codec.ts'
import { readFields } from '../values/reading.ts'
import { apiKey, nonEmptyText, password } from '../values/value-type.ts'

/** The quotas of one account; null: those of every account. */
interface OwnQuotas {
  readonly quotas?: GivenQuotas | null
}

/** Changes to an account. */
export interface AccountPatch extends Omit<Partial<JsonFieldsOf<typeof accountSettings>>, 'quotas'>, OwnQuotas {}

/** A new account; the key, email and password are random by default. */
export interface NewAccountFields extends Omit<Partial<JsonFieldsOf<typeof newAccountFields>>, 'quotas'>, OwnQuotas {}

export const newAccountFields = { apiKey, email: nonEmptyText, password, ...accountSettings }

/** Changes to an account's record, and how many albums it is to have. */
interface ParsedPatch {
  readonly settings: AccountSettings
  readonly albums?: number | undefined
}

/** @throws TypeError saying what a field takes */
export function parseAccountPatch(patch: AccountPatch): ParsedPatch {
  const { albums, ...settings } = readFields(patch, accountSettings)
  return { settings, albums }
}

/** @throws TypeError saying what a field takes */
export function parseNewAccount(fields: NewAccountFields): NewAccountOptions & ParsedPatch {
  const { apiKey, email, password, albums, ...settings } = readFields(fields, newAccountFields)
  return { apiKey, email, password, settings, albums }
}
