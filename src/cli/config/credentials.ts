import { readFileSync } from 'node:fs'
import { isUtf16 } from '../../checks/json.ts'
import { isLoopback, withoutTrailingSlashes } from '../../client/base-url.ts'
import { isKey } from '../../protocol/endpoints.ts'
import { withoutQuotes } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { type GivenSettings, type ProfileInUse, readServiceAddress, readSetting } from './settings.ts'

/** An account: a base URL, and a key that may be sent there. */
export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  /** Where the key comes from, for the error of a refusal: `from FH_API_KEY`. */
  readonly whose: string
}

/** The base URL and the API key of the settings. @throws CliError that names what is missing, and how to set it */
export async function resolveCredentials(settings: GivenSettings, profile: ProfileInUse): Promise<Credentials> {
  refuseEmptyKey(settings)
  const { name, place, flag, profiles } = profile
  const baseUrl = readSetting(settings, 'base_url')
  if (baseUrl !== undefined) assertKeyIsFor(baseUrl, settings, profile)
  const key = await resolveApiKey(settings)
  const where = place === undefined ? '' : ` in profile ${name} (named by ${place})`
  const isThere = place === undefined || Object.hasOwn(profiles, name)
  const hint = isThere ? hints.account(flag) : hints.profiles(Object.keys(profiles), flag)
  if (key === undefined) {
    const missing = baseUrl === undefined ? 'No base URL and no API key are set' : 'No API key is set'
    throw new CliError('no-api-key', `${missing}${where}`, { hint })
  }
  if (baseUrl === undefined) throw new CliError('no-base-url', `No base URL is set${where}`, { hint })
  return { baseUrl, ...key }
}

/** The setting that gives the key: FH_API_KEY, else FH_API_KEY_FILE, else the stored key, else `key_command`. */
export function keySetting(settings: GivenSettings) {
  const names = ['api_key_file', 'api_key', 'key_command'] as const
  const name = settings.api_key?.source === 'env' ? 'api_key' : names.find((one) => settings[one] !== undefined)
  const setting = name && settings[name]
  return name && setting && { name, ...setting }
}

/** The API key that the settings give. @throws CliError if it cannot be read, or the text cannot be a key */
export async function resolveApiKey(settings: GivenSettings): Promise<Omit<Credentials, 'baseUrl'> | undefined> {
  const given = keySetting(settings)
  if (given === undefined) return undefined
  const { name, value, origin } = given
  const sources = {
    api_key: [origin, () => value],
    api_key_file: [`${origin}=${value}`, () => readFileSync(value, 'utf8')],
    key_command: [`the key_command of ${origin}`, () => run(value)],
  } as const
  const [place, read] = sources[name]
  try {
    return { apiKey: checkApiKey(await read(), place), whose: `from ${place}` }
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError('no-api-key', `${place}: the API key cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

async function run(command: string): Promise<string> {
  const { execSync } = await import('node:child_process')
  // The command may ask for a password on the terminal, so it gets fh's stdin and stderr.
  return execSync(command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] })
}

/** @throws CliError that names a variable that is set but empty, as by a secret that is missing */
export function refuseEmptyKey({ api_key: key, api_key_file: file }: GivenSettings): void {
  const empty = [key, file].find((setting) => setting?.source === 'env' && setting.value.trim() === '')
  if (empty === undefined) return
  throw new CliError('no-api-key', `${empty.origin} is set, but empty`, { hint: hints.emptySecret })
}

/** Checks that a key fits into an HTTP header. @param place names the key's source in messages */
export function checkApiKey(text: string, place: string): string {
  if (isUtf16(text)) throw usageError(`${place}: the API key is UTF-16 text: save it as UTF-8`)
  const key = withoutQuotes(text).trim()
  if (key === '') throw new CliError('no-api-key', `${place}: the API key is empty`)
  if (isKey(key)) return key
  throw usageError(`${place}: an API key has no spaces, line breaks or special letters; was more than the key copied?`)
}

/**
 * Sends a stored key, and the output of a stored `key_command`, only to the base URL stored with it: another base URL may
 * come from the environment of a folder that belongs to someone else. A `key_command` has not been run then.
 */
function assertKeyIsFor(asked: string, settings: GivenSettings, { name, flag, stored }: ProfileInUse): void {
  const used = keySetting(settings)
  if (used?.source !== 'profile') return
  const address = stored['base_url']
  if (address !== undefined && isSameService(address, asked)) return
  const belongs = address === undefined ? 'stored without the address it is for' : `for ${address}, not for ${asked}`
  const what = `The ${used.name === 'api_key' ? 'stored key' : used.name} of profile ${name} is ${belongs}`
  const own = used.name === 'api_key' ? hints.keyWithAddress(flag) : hints.set('base_url', flag)
  const hint = address === undefined ? own : hints.keyWithAddress(' --profile NAME')
  throw new CliError('no-api-key', what, { hint })
}

/** Whether it is the same host and path: all loopback names are one, and https is allowed for http, not the other way round. */
export function isSameService(stored: string, asked: string): boolean {
  try {
    const [from = '', to] = [stored, asked].map((text) => withLocalName(new URL(readServiceAddress(text))))
    return from === to || from.replace(/^http:/, 'https:') === to
  } catch {
    return false
  }
}

/** Whether a URL is below a base URL; http and https count as the same, since no key is sent there. */
export function isBelow(url: URL, baseUrl: string): boolean {
  const plain = (at: URL) => withLocalName(at).replace(/^https:/, 'http:')
  return plain(url).startsWith(`${plain(new URL(baseUrl))}/`)
}

function withLocalName({ protocol, hostname, host, port, pathname }: URL): string {
  return `${protocol}//${isLoopback(hostname) ? `localhost:${port}` : host}${withoutTrailingSlashes(pathname)}`
}
