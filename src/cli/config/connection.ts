import { version } from '../../../package.json'
import { type Client, type ClientEvent, type ClientOptions, type Clock, createClient } from '../../index.ts'
import { parseBaseUrl } from '../../internal.ts'
import { stateFolder } from '../../system/state-folder.ts'
import { asUsage, CliError, usageError } from '../failures/cli-error.ts'
import { resolveApiKey } from './api-key.ts'
import { createCliTransport } from './cli-transport.ts'
import { assertKeyIsFor } from './key-address.ts'
import { type Environment, limitsOf, type ProfileInUse, placeOf, readSetting, type Settings } from './settings.ts'
import { readWireSettings } from './wire-settings.ts'

export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
}

export interface ConnectionOptions {
  readonly settings: Settings
  readonly env: Environment
  readonly clock: Clock
  readonly allowInsecureHttp: boolean
  /** In place of those that are set. */
  readonly retries?: number | undefined
  readonly onEvent: (event: ClientEvent) => void
  /** Units of the hour and the day that are left to others. */
  readonly reserve?: number | undefined
}

/**
 * The address and the key that are set.
 * @throws CliError saying which is missing and how to set it
 */
export async function resolveCredentials(settings: Settings, profile: ProfileInUse): Promise<Credentials> {
  const baseUrl = readSetting(settings, 'base_url')
  if (baseUrl !== undefined) assertKeyIsFor(baseUrl, settings, profile)
  const apiKey = await resolveApiKey(settings)
  const where = profile.place === undefined ? '' : ` in profile ${profile.name} (named by ${profile.place})`
  const hint = hintOnProfile(profile)
  if (apiKey === undefined) {
    const missing = baseUrl === undefined ? 'No base URL and no API key are set' : 'No API key is set'
    throw new CliError('no-api-key', `${missing}${where}`, { hint })
  }
  if (baseUrl === undefined) throw new CliError('no-base-url', `No base URL is set${where}`, { hint })
  return { baseUrl, apiKey }
}

function hintOnProfile({ name, place, known }: ProfileInUse): string {
  const login = `fh login${place === undefined ? '' : ` --profile ${name}`}`
  const names = place === undefined ? [name] : known()
  if (!names.includes(name)) {
    const there = names.length === 0 ? 'No profile is stored yet' : `Profiles there are: ${names.join(', ')}`
    return `${there}; ${login} adds ${name}`
  }
  return `Run ${login} to store them, or fh emulate for a local service; FH_BASE_URL and FH_API_KEY serve scripts`
}

/**
 * A client as the settings want it.
 * @throws CliError of code `usage` where one of them cannot be used
 */
export async function connect({ baseUrl, apiKey }: Credentials, options: ConnectionOptions): Promise<Client> {
  const { settings, env, clock, allowInsecureHttp, retries, onEvent } = options
  const { idleTimeoutMs, proxy, ca, ...patience } = await readWireSettings(settings)
  assertPrivate(baseUrl, proxy, options)
  return asUsage(() =>
    createClient({
      baseUrl,
      apiKey,
      transport: createCliTransport({ idleTimeoutMs, proxy, ca, env }),
      clock,
      pacing: pacingOf(options),
      retry: { ...patience, ...(retries !== undefined && { retries }) },
      userAgent: `fh/${version}`,
      onEvent,
      allowInsecureHttp,
    }),
  )
}

/** All processes of this machine count together; also those that predict nothing heed what another was refused. */
function pacingOf({ settings, env, reserve = 0 }: ConnectionOptions): NonNullable<ClientOptions['pacing']> {
  return { limits: limitsOf(settings), reserve, ledger: 'shared', folder: stateFolder(env) }
}

/**
 * A proxy that is named reads what goes to any host over plain http, this machine included. Those of the environment
 * are not asked for this machine, and to others nothing goes over plain http.
 */
function assertPrivate(baseUrl: string, proxy: string | undefined, { settings, allowInsecureHttp }: ConnectionOptions) {
  const plain = baseUrl.startsWith('http:')
  const place = settings.proxy === undefined ? '' : `${placeOf('proxy', settings.proxy)}: `
  const behind = plain && proxy !== undefined ? [{ place, url: `http://${new URL(proxy).host}` }] : []
  for (const stop of [{ place: '', url: baseUrl }, ...behind]) {
    try {
      parseBaseUrl(stop.url, { allowInsecureHttp })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      if (!plain) throw usageError(`${stop.place}${error.message}`)
      const message = `${stop.place}The key would travel unencrypted to ${new URL(stop.url).host}`
      throw usageError(message, 'Use https, or --insecure-http in a network you trust')
    }
  }
}
