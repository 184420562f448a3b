import { readFileSync } from 'node:fs'
import { version } from '../../package.json'
import { type Client, type ClientEvent, type Clock, createClient, parseBaseUrl } from '../index.ts'
import { resolveApiKey } from './api-key.ts'
import { CliError, usageError } from './cli-error.ts'
import { createCliTransport } from './cli-transport.ts'
import { checkBaseUrl, parseMaxWait, parseRetries, parseTimeout, readSetting } from './setting-values.ts'
import type { Environment, Settings } from './settings.ts'

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
export function connect({ baseUrl, apiKey }: Credentials, options: ConnectionOptions): Client {
  const { settings, env, clock, allowInsecureHttp, onEvent } = options
  const idleTimeoutMs = readSetting(settings, 'timeout', parseTimeout) ?? 120_000
  const retries = readSetting(settings, 'retries', parseRetries) ?? 5
  const maxWaitMs = readSetting(settings, 'max_wait', parseMaxWait) ?? Number.POSITIVE_INFINITY
  return asUsage(() => {
    assertPrivate(baseUrl, allowInsecureHttp)
    return createClient({
      baseUrl,
      apiKey,
      transport: createCliTransport({ idleTimeoutMs, proxy: settings.proxy?.value, ca: readCaCert(settings), env }),
      clock,
      retry: { retries, maxWaitMs },
      userAgent: `fh/${version}`,
      onEvent,
      allowInsecureHttp,
    })
  })
}

function assertPrivate(baseUrl: string, allowInsecureHttp: boolean): void {
  try {
    parseBaseUrl(baseUrl, { allowInsecureHttp })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const plain = baseUrl.startsWith('http:')
    throw usageError(error.message, plain ? 'Use https, or --insecure-http in a network you trust' : undefined)
  }
}

function readCaCert({ ca_cert: file }: Settings): string | undefined {
  if (file === undefined) return undefined
  let pem: string
  try {
    pem = readFileSync(file.value, 'utf8')
  } catch (error) {
    throw usageError(`The CA file cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw usageError(`${file.value} holds no certificate in PEM form`, 'It has to contain -----BEGIN CERTIFICATE-----')
}

/** The library's TypeErrors are about its arguments, and those came from the user. */
function asUsage<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw usageError(error.message)
    throw error
  }
}
