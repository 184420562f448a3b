import { defaultLimits, defaultMaxFileSizeBytes, type QuotaLimits } from '../../../index.ts'
import { forClients, formatQuotaLimits } from '../../config/quota-limits.ts'

/** What a program has to be told to find an emulator. */
export interface EmulatorConnection {
  readonly baseUrl: string
  readonly apiKey: string
  /** Those every account has that has none of its own. */
  readonly quotas: QuotaLimits
  /** In bytes. */
  readonly maxFileSize: number
}

type EmulatorVariables = Readonly<
  Record<'FH_BASE_URL' | 'FH_API_KEY' | 'FH_EMULATOR_URL' | 'FH_LIMITS' | 'FH_MAX_FILE_SIZE', string>
>

/** The environment in which a program finds an emulator. */
export function emulatorVariables({ baseUrl, apiKey, quotas, maxFileSize }: EmulatorConnection): EmulatorVariables {
  return {
    FH_BASE_URL: baseUrl,
    FH_API_KEY: apiKey,
    FH_EMULATOR_URL: `${baseUrl}/_emulator`,
    FH_LIMITS: formatQuotaLimits(forClients(quotas)),
    FH_MAX_FILE_SIZE: String(maxFileSize),
  }
}

/** What clients have to be told besides address and key, where it is not what they count by of themselves. */
export function unusualVariables(connection: EmulatorConnection): Readonly<Record<string, string>> {
  const { FH_LIMITS, FH_MAX_FILE_SIZE } = emulatorVariables(connection)
  const usual = { FH_LIMITS: formatQuotaLimits(defaultLimits), FH_MAX_FILE_SIZE: String(defaultMaxFileSizeBytes) }
  return {
    ...(FH_LIMITS !== usual.FH_LIMITS && { FH_LIMITS }),
    ...(FH_MAX_FILE_SIZE !== usual.FH_MAX_FILE_SIZE && { FH_MAX_FILE_SIZE }),
  }
}
