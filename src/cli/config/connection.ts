import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseBaseUrl } from '../../client/base-url.ts'
import { nodeTransportThrough } from '../../client/transports/node-transport.ts'
import { type NamedProxy, proxyFromEnvironment } from '../../client/transports/open-connection.ts'
import type { Transport } from '../../index.ts'
import type { Environment } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { asUsage, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { type GivenSettings, placeOf, readSetting } from './settings.ts'

/**
 * Opens connections to the service, or to a site, as the settings have it; the caller closes them.
 * @throws CliError of code `usage`, naming the place of a value that cannot be used; from a request, if a variable names a
 * proxy that cannot be used
 */
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
 * @throws CliError of code `usage`
 */
export function assertPrivate(
  baseUrl: string,
  settings: GivenSettings,
  { insecureHttp: allowInsecureHttp = false }: { readonly insecureHttp?: boolean },
): void {
  const proxy = proxySetting(settings)
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
      throw usageError(message, hints.https)
    }
  }
}

/**
 * The certificate authorities of the setting `ca_cert`, which are trusted besides the usual ones.
 * @returns PEM; undefined where the setting is not set
 * @throws CliError of code `usage`, with the place of the setting
 */
export async function readCa({ ca_cert: setting }: GivenSettings): Promise<string | undefined> {
  return setting && (await readCaFile(setting.value, placeOf('ca_cert', setting)))
}

/** Checks a file before its path is stored. @returns its absolute path @throws CliError of code `usage` */
export async function storableCaFile(path: string): Promise<string> {
  await readCaFile(path, 'ca_cert')
  return resolve(path)
}

const BEGIN = '-----BEGIN CERTIFICATE-----'

/**
 * Reads a PEM file and checks each certificate, since TLS silently ignores those it cannot read.
 * @param named the place of the setting: a flag, or a profile
 * @throws CliError of code `usage`
 */
async function readCaFile(path: string, named: string): Promise<string> {
  const wrong = (what: string) => usageError(`${named}: ${path}${what}`)
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw wrong(` cannot be read: ${reasonOf(error)}`)
  })
  const certificates = pem.split(BEGIN).slice(1)
  if (certificates.length === 0) throw wrong(' holds no certificate in PEM form')
  const { X509Certificate } = await import('node:crypto')
  for (const [index, text] of certificates.entries()) {
    try {
      new X509Certificate(BEGIN + text)
    } catch {
      throw wrong(`: certificate ${index + 1} of ${certificates.length} is damaged or cut off`)
    }
  }
  return pem
}
