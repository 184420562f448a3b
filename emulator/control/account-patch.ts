import type { AccountSettings, NewAccountOptions } from '../service/accounts.ts'
import { accountSettings } from '../storage/records.ts'
import { type JsonFieldsOf, readFields } from '../values/codec.ts'
import { apiKey, nonEmptyText } from '../values/value-type.ts'

/** Changes to an account. */
export interface AccountPatch extends Partial<JsonFieldsOf<typeof accountSettings>> {}

/** A new account; the key, email and password are random by default. */
export interface NewAccountFields extends Partial<JsonFieldsOf<typeof newAccountFields>> {}

export const newAccountFields = { apiKey, email: nonEmptyText, password: nonEmptyText, ...accountSettings }

/** @throws TypeError saying what a field takes */
export function parseAccountPatch(patch: AccountPatch): AccountSettings {
  return readFields(patch, accountSettings)
}

/** @throws TypeError saying what a field takes */
export function parseNewAccount(fields: NewAccountFields): NewAccountOptions & { readonly settings: AccountSettings } {
  const { apiKey, email, password, ...settings } = readFields(fields, newAccountFields)
  return { apiKey, email, password, settings }
}
