import type { QuotaLimits } from '../../index.ts'
import { formatQuotaLimits } from '../settings/quota-limits.ts'

/** What a program has to be told to find an emulator. */
export interface EmulatorConnection {
  readonly baseUrl: string
  readonly apiKey: string
  /** Those every account has that has none of its own. */
  readonly quotas: QuotaLimits
}

/** The environment in which a program finds an emulator. */
export function emulatorVariables({ baseUrl, apiKey, quotas }: EmulatorConnection): Readonly<Record<string, string>> {
  return {
    FH_BASE_URL: baseUrl,
    FH_API_KEY: apiKey,
    FH_EMULATOR_URL: `${baseUrl}/_emulator`,
    FH_LIMITS: formatQuotaLimits(quotas),
  }
}
