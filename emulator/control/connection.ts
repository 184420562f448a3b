import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { Accounts } from '../service/accounts.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'

/** What a program needs to use the emulator. */
export interface ConnectionInfo {
  /** The first account's current key; null if it is unknown because the accounts came from a snapshot. */
  readonly api_key: string | null
  /** The quotas of every account without its own. */
  readonly quotas: QuotaLimits
}

export interface ConnectionContext {
  readonly accounts: Accounts
  readonly firstKey: FirstKey
  readonly settings: SettingsStore
}

export function connectionOf({ accounts, firstKey, settings }: ConnectionContext): ConnectionInfo {
  const key = firstKey.candidates().find((candidate) => accounts.findByKey(candidate) !== undefined)
  return { api_key: key ?? null, quotas: settings.current.quotas }
}
