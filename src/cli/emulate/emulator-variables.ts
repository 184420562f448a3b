import { defaultLimits, type QuotaLimits } from '../../index.ts'
import { forClients, formatQuotaLimits } from '../settings/quota-limits.ts'

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
    FH_LIMITS: formatQuotaLimits(forClients(quotas)),
  }
}

/** What FH_LIMITS has to say for clients to count by these quotas; undefined where they do so of themselves. */
export function unusualLimits(quotas: QuotaLimits): string | undefined {
  const limits = formatQuotaLimits(forClients(quotas))
  return limits === formatQuotaLimits(defaultLimits) ? undefined : limits
}
