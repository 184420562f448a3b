import { readFile } from 'node:fs/promises'
import { isLoopback } from '../../client/base-url.ts'
import { nodeTransportThrough } from '../../client/transports/node-transport.ts'
import { type NamedProxy, proxyFromEnvironment } from '../../client/transports/open-connection.ts'
import type { Transport } from '../../index.ts'
import type { Environment } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { asUsage, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { type GivenSettings, placeOf, readSetting } from './settings.ts'

/** Opens connections to the service, or to a site, as the settings have it; the caller closes them. */
export async function openTransport(settings: GivenSettings, env: Environment): Promise<Transport> {
  const ca = await readCa(settings)
  const proxy = proxySetting(settings)
  const options = { idleTimeoutMs: readSetting(settings, 'timeout'), ...(ca !== undefined && { ca }) }
  return nodeTransportThrough((url) => proxy ?? asUsage(() => proxyFromEnvironment(url, env)), options)
}

/** Undefined: the proxy variables of the environment count. */
export function proxySetting(settings: GivenSettings): NamedProxy | undefined {
  const url = readSetting(settings, 'proxy')
  return url === undefined ? undefined : { url, place: settings.proxy && placeOf('proxy', settings.proxy) }
}

/**
 * Refuses to send the key unencrypted to another machine: the service, or a proxy that a flag or the profile names,
 * which reads plain http to any host. The proxies of the environment are never used for this machine.
 */
export function assertPrivate(
  baseUrl: string,
  settings: GivenSettings,
  { insecureHttp = false }: { readonly insecureHttp?: boolean },
): void {
  if (insecureHttp || !baseUrl.startsWith('http:')) return
  const stops = [baseUrl, readSetting(settings, 'proxy') ?? baseUrl].map((stop) => new URL(stop))
  const reader = stops.find(({ hostname }) => !isLoopback(hostname))
  if (reader !== undefined) throw usageError(`The key would travel unencrypted to ${reader.host}`, hints.https)
}

/** The certificate authorities of the setting `ca_cert`, which are trusted besides the usual ones. */
export async function readCa({ ca_cert: setting }: GivenSettings): Promise<string | undefined> {
  if (setting === undefined) return undefined
  const wrong = (what: string) => usageError(`${placeOf('ca_cert', setting)}: ${setting.value} ${what}`)
  const pem = await readFile(setting.value, 'utf8').catch((error: unknown) => {
    throw wrong(`cannot be read: ${reasonOf(error)}`)
  })
  // TLS ignores in silence what it cannot read.
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw wrong('holds no certificate in PEM form')
}
