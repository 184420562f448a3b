import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { Accounts } from '../service/accounts.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'

/** What a program on the emulator's own machine has to know to use it. */
export interface ConnectionInfo {
  /** The key the first account has now; null where none is known, its records having come with a snapshot. */
  readonly api_key: string | null
  /** Those of every account without quotas of its own. */
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
