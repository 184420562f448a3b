import { version } from '../../../package.json'
import type { Client, ClientEvent, Clock, Transport } from '../../index.ts'
import {
  clientOver,
  type LedgerAccount,
  type NamedProxy,
  nodeTransportThrough,
  parseBaseUrl,
  proxyFromEnvironment,
} from '../../internal.ts'
import type { OpenFleet } from '../../pacing/fleet/open-fleet.ts'
import type { Environment } from '../../system/environment.ts'
import { stateFolder } from '../../system/user-folders.ts'
import { asUsage, CliError, usageError } from '../failures/cli-error.ts'
import { assertKeyIsFor, resolveApiKey } from './api-key.ts'
import type { ProfileInUse } from './profiles.ts'
import { type GivenSettings, limitsOf, placeOf, readSetting } from './settings.ts'

export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  /** Where the key comes from, for the error of a refusal: `from FH_API_KEY`. */
  readonly whose: string
}

/** What the runners of a key share through Redis. */
export type Fleet = OpenFleet

/**
 * The fleet of an account at the Redis server of the setting `ledger`; undefined where none is set. No connection is made
 * before it is used.
 * @throws CliError of code `usage`, naming the place of a value that cannot be used
 */
export async function openFleetOf(
  account: Pick<Credentials, 'baseUrl' | 'apiKey'>,
  { settings, clock }: { readonly settings: GivenSettings; readonly clock: Clock },
): Promise<Fleet | undefined> {
  const url = readSetting(settings, 'ledger')
  if (url === undefined) return undefined
  const { openFleet } = await import('../../pacing/fleet/open-fleet.ts')
  return openFleet({ url, ca: await caOf(settings) }, { ...account, clock })
}

export interface ConnectionOptions {
  readonly settings: GivenSettings
  /** Undefined: only the processes of this machine count together. */
  readonly fleet: Fleet | undefined
  readonly env: Environment
  readonly openTransport: (wire: WireSettings) => Transport
  readonly clock: Clock
  readonly allowInsecureHttp: boolean
  /** Replaces the setting. */
  readonly retries?: number | undefined
  /** Where the setting is longer. */
  readonly maxWaitMs?: number | undefined
  readonly onEvent: (event: ClientEvent) => void
  /** How long a request waits for a Redis that cannot be reached, in milliseconds, if `--max-wait` is not less. */
  readonly ledgerPatienceMs?: number | undefined
  /** Of all uploads together; undefined for no limit. */
  readonly uploadBytesPerSecond?: number | undefined
}

/**
 * The base URL and the API key of the settings.
 * @throws CliError that names what is missing, and how to set it
 */
export async function resolveCredentials(settings: GivenSettings, profile: ProfileInUse): Promise<Credentials> {
  const baseUrl = readSetting(settings, 'base_url')
  if (baseUrl !== undefined) assertKeyIsFor(baseUrl, settings, profile)
  const key = await resolveApiKey(settings)
  const where = profile.place === undefined ? '' : ` in profile ${profile.name} (named by ${profile.place})`
  const hint = hintOnProfile(profile)
  if (key === undefined) {
    const missing = baseUrl === undefined ? 'No base URL and no API key are set' : 'No API key is set'
    throw new CliError('no-api-key', `${missing}${where}`, { hint })
  }
  if (baseUrl === undefined) throw new CliError('no-base-url', `No base URL is set${where}`, { hint })
  return { baseUrl, ...key }
}

function hintOnProfile({ name, place, flag, known }: ProfileInUse): string {
  const login = `fh login${flag}`
  const names = known()
  if (names.includes(name) || (names.length === 0 && place === undefined)) {
    return `Run ${login}, or fh emulate to try it; scripts set FH_BASE_URL and FH_API_KEY`
  }
  if (names.length === 0) return `No profile is stored yet; ${login} adds ${name}`
  const choose = flag === '' ? '; fh config use NAME makes one the default' : ''
  return `Profiles: ${names.join(', ')}${choose}; ${login} adds ${name}`
}

/** A command that only looks is not kept waiting. */
const LEDGER_PATIENCE_MS = 10_000
/** For what must not be lost. Most networks, and restarts of a server, are mended by then. */
export const LONG_LEDGER_PATIENCE_MS = 300_000

/**
 * A client with these settings.
 * @throws CliError of code `usage` if one of them cannot be used
 */
export async function connect({ baseUrl, apiKey, whose }: Credentials, options: ConnectionOptions): Promise<Client> {
  const { settings, fleet, clock, allowInsecureHttp, retries, maxWaitMs, onEvent, uploadBytesPerSecond } = options
  // With `--limits none` processes and runners still wait after each other's refusals.
  const patienceMs = Math.min(options.ledgerPatienceMs ?? LEDGER_PATIENCE_MS, readSetting(settings, 'max_wait'))
  const ledger =
    fleet === undefined ? 'shared' : { open: (account: LedgerAccount) => fleet.openLedger({ ...account, patienceMs }) }
  const wire = await readWireSettings(settings)
  assertPrivate(baseUrl, wire.proxy, options)
  return asUsage(() =>
    clientOver(
      options.openTransport(wire),
      {
        baseUrl,
        apiKey,
        clock,
        pacing: { limits: limitsOf(settings), ledger, folder: stateFolder(options.env) },
        retry: {
          retries: retries ?? wire.patience.retries,
          maxWaitMs: Math.min(maxWaitMs ?? Number.POSITIVE_INFINITY, wire.patience.maxWaitMs),
        },
        userAgent: `fh/${version}`,
        onEvent,
        allowInsecureHttp,
        uploadBytesPerSecond,
      },
      whose,
    ),
  )
}

/**
 * Refuses to send the key unencrypted to another machine: the service, or a proxy that a flag or the profile names,
 * which reads plain http to any host. The proxies of the environment are never used for this machine.
 */
export function assertPrivate(
  baseUrl: string,
  proxy: NamedProxy | undefined,
  { allowInsecureHttp }: Pick<ConnectionOptions, 'allowInsecureHttp'>,
): void {
  const plain = baseUrl.startsWith('http:')
  const behind =
    plain && proxy !== undefined ? [{ place: `${proxy.place}: `, url: `http://${new URL(proxy.url).host}` }] : []
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

/** How requests to the service and downloads from its site are sent. */
export type WireSettings = Awaited<ReturnType<typeof readWireSettings>>

/** @throws CliError of code `usage`, naming the place of a value that cannot be used */
export async function readWireSettings(settings: GivenSettings) {
  const ca = await caOf(settings)
  return {
    transport: { idleTimeoutMs: readSetting(settings, 'timeout'), ...(ca !== undefined && { ca }) },
    /** Undefined: the proxy variables of the environment count. */
    proxy: proxySetting(settings),
    patience: { retries: readSetting(settings, 'retries'), maxWaitMs: readSetting(settings, 'max_wait') },
  }
}

export function proxySetting(settings: GivenSettings): NamedProxy | undefined {
  const url = readSetting(settings, 'proxy')
  return url === undefined ? undefined : { url, place: settings.proxy && placeOf('proxy', settings.proxy) }
}

/** @throws CliError of code `usage`, from a request, if a variable names a proxy that cannot be used */
export function createCliTransport({ transport, proxy }: WireSettings, env: Environment): Transport {
  return nodeTransportThrough((url) => proxy ?? asUsage(() => proxyFromEnvironment(url, env)), transport)
}

/** Few have certificates of their own: the code that reads them is loaded for them only. */
async function caOf(settings: GivenSettings): Promise<string | undefined> {
  return settings.ca_cert && (await (await import('./ca-file.ts')).readCa(settings))
}
