import { defaultMaxFileSizeBytes } from '../protocol/media-types.ts'
import { defaultLimits, type QuotaLimits } from '../protocol/rate-limits.ts'
import { forClients, formatQuotaLimits } from './quota-limits.ts'

/** What a client needs to know of an emulator. */
export interface EmulatorConnection {
  readonly baseUrl: string
  readonly apiKey: string
  /** The default quotas of its accounts. */
  readonly quotas: QuotaLimits
  /** In bytes. */
  readonly maxFileSize: number
}

type EmulatorVariables = Readonly<
  Record<'FH_BASE_URL' | 'FH_API_KEY' | 'FH_EMULATOR_URL' | 'FH_LIMITS' | 'FH_MAX_FILE_SIZE', string>
>

/** The environment variables that make fh use an emulator. */
export function emulatorVariables({ baseUrl, apiKey, quotas, maxFileSize }: EmulatorConnection): EmulatorVariables {
  return {
    FH_BASE_URL: baseUrl,
    FH_API_KEY: apiKey,
    FH_EMULATOR_URL: `${baseUrl}/_emulator`,
    FH_LIMITS: formatQuotaLimits(forClients(quotas)),
    FH_MAX_FILE_SIZE: String(maxFileSize),
  }
}

/** The variables to set for an emulator: what it is, and the limits that differ from the client's defaults. */
export function neededVariables({ apiKey, ...connection }: KnownConnection): Readonly<Record<string, string>> {
  const { FH_BASE_URL, FH_EMULATOR_URL } = emulatorVariables({ ...connection, apiKey: '' })
  const key = apiKey === null ? {} : { FH_API_KEY: apiKey }
  return { FH_BASE_URL, ...key, FH_EMULATOR_URL, ...unusualVariables({ ...connection, apiKey: '' }) }
}

/** A connection whose key the emulator may not know. */
type KnownConnection = Omit<EmulatorConnection, 'apiKey'> & { readonly apiKey: string | null }

/** The variables for limits that differ from the client's defaults. */
export function unusualVariables(connection: EmulatorConnection): Readonly<Record<string, string>> {
  const { FH_LIMITS, FH_MAX_FILE_SIZE } = emulatorVariables(connection)
  const usual = { FH_LIMITS: formatQuotaLimits(defaultLimits), FH_MAX_FILE_SIZE: String(defaultMaxFileSizeBytes) }
  return {
    ...(FH_LIMITS !== usual.FH_LIMITS && { FH_LIMITS }),
    ...(FH_MAX_FILE_SIZE !== usual.FH_MAX_FILE_SIZE && { FH_MAX_FILE_SIZE }),
  }
}
