import { version } from '../../../package.json'
import {
  type Client,
  type ClientEvent,
  type ClientOptions,
  type Clock,
  createClient,
  parseBaseUrl,
  parseProxy,
  stateFolder,
} from '../../index.ts'
import { asUsage, CliError, usageError } from '../cli-error.ts'
import { resolveApiKey } from '../settings/api-key.ts'
import { readCaFile } from '../settings/ca-file.ts'
import { isUnlimited } from '../settings/quota-limits.ts'
import {
  checkBaseUrl,
  limitsOf,
  parseMaxWait,
  parseRetries,
  parseTimeout,
  readSetting,
} from '../settings/setting-values.ts'
import type { Environment, Settings } from '../settings/settings.ts'
import { createCliTransport } from './cli-transport.ts'

export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
}

export interface ConnectionOptions {
  readonly settings: Settings
  readonly env: Environment
  readonly clock: Clock
  readonly allowInsecureHttp: boolean
  readonly onEvent: (event: ClientEvent) => void
  /** Units of the hour and the day that are left to others. */
  readonly reserve?: number | undefined
  /** Whether nothing may be written down, so that only this run is counted. */
  readonly memoryOnly: boolean
}

/**
 * The address and the key that are set.
 * @throws CliError saying which is missing and how to set it
 */
export async function resolveCredentials(settings: Settings, profileName: string): Promise<Credentials> {
  const baseUrl = readSetting(settings, 'base_url', checkBaseUrl)
  const apiKey = await resolveApiKey(settings)
  const hint = 'Run fh login to store them, or fh emulate for a local service; FH_BASE_URL and FH_API_KEY serve scripts'
  const where = profileName === 'default' ? '' : ` in profile ${profileName}`
  if (apiKey === undefined) {
    const missing = baseUrl === undefined ? 'No base URL and no API key are set' : 'No API key is set'
    throw new CliError('no-api-key', `${missing}${where}`, { hint })
  }
  if (baseUrl === undefined) throw new CliError('no-base-url', `No base URL is set${where}`, { hint })
  return { baseUrl, apiKey }
}

/**
 * A client as the settings want it.
 * @throws CliError of code `usage` where one of them cannot be used
 */
export async function connect({ baseUrl, apiKey }: Credentials, options: ConnectionOptions): Promise<Client> {
  const { settings, env, clock, allowInsecureHttp, onEvent } = options
  const idleTimeoutMs = readSetting(settings, 'timeout', parseTimeout) ?? 120_000
  const retries = readSetting(settings, 'retries', parseRetries) ?? 5
  const maxWaitMs = readSetting(settings, 'max_wait', parseMaxWait) ?? Number.POSITIVE_INFINITY
  const proxy = readSetting(settings, 'proxy', parseProxy)
  const ca = settings.ca_cert === undefined ? undefined : await readCaFile(settings.ca_cert.value)
  assertPrivate(baseUrl, proxy, allowInsecureHttp)
  return asUsage(() =>
    createClient({
      baseUrl,
      apiKey,
      transport: createCliTransport({ idleTimeoutMs, proxy, ca, env }),
      clock,
      pacing: pacingOf(options),
      retry: { retries, maxWaitMs },
      userAgent: `fh/${version}`,
      onEvent,
      allowInsecureHttp,
    }),
  )
}

/** All processes of this machine count together, unless nothing is to be counted, or nothing to be written down. */
function pacingOf({ settings, env, reserve = 0, memoryOnly }: ConnectionOptions): NonNullable<ClientOptions['pacing']> {
  const limits = limitsOf(settings)
  if (isUnlimited(limits)) return false
  return { limits, reserve, ledger: memoryOnly ? 'memory' : 'shared', folder: stateFolder(env) }
}

/**
 * A proxy that is named reads what goes to any host over plain http, this machine included. Those of the environment
 * are not asked for this machine, and to others nothing goes over plain http.
 */
function assertPrivate(baseUrl: string, proxy: string | undefined, allowInsecureHttp: boolean): void {
  const plain = baseUrl.startsWith('http:')
  const stops = plain && proxy !== undefined ? [baseUrl, `http://${new URL(proxy).host}`] : [baseUrl]
  try {
    for (const stop of stops) parseBaseUrl(stop, { allowInsecureHttp })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usageError(error.message, plain ? 'Use https, or --insecure-http in a network you trust' : undefined)
  }
}
