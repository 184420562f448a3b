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

/** The environment variables that make fh use an emulator. */
export function emulatorVariables({ baseUrl, apiKey, ...limits }: EmulatorConnection) {
  return {
    FH_BASE_URL: baseUrl,
    FH_API_KEY: apiKey,
    FH_EMULATOR_URL: `${baseUrl}/_emulator`,
    ...limitVariables(limits),
  }
}

type Limits = Pick<EmulatorConnection, 'quotas' | 'maxFileSize'>

function limitVariables({ quotas, maxFileSize }: Limits) {
  return { FH_LIMITS: formatQuotaLimits(forClients(quotas)), FH_MAX_FILE_SIZE: String(maxFileSize) }
}

/** The variables for limits that differ from the client's defaults. */
export function unusualVariables(limits: Limits): Readonly<Record<string, string>> {
  const usual = new Map(Object.entries(limitVariables({ quotas: defaultLimits, maxFileSize: defaultMaxFileSizeBytes })))
  return Object.fromEntries(Object.entries(limitVariables(limits)).filter(([name, text]) => usual.get(name) !== text))
}
