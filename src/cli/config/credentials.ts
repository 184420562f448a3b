import { readFileSync } from 'node:fs'
import { isUtf16 } from '../../checks/json.ts'
import { isLoopback, withoutTrailingSlashes } from '../../client/base-url.ts'
import { isKey } from '../../protocol/endpoints.ts'
import { withoutQuotes } from '../../system/environment.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import type { Profile } from './config-store.ts'
import { type GivenSettings, type ProfileInUse, readServiceAddress, readSetting } from './settings.ts'

/** An account: a base URL, and a key that may be sent there. */
export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  /** Where the key comes from, for the error of a refusal: `from FH_API_KEY`. */
  readonly whose: string
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

function hintOnProfile({ name, place, flag, profiles }: ProfileInUse): string {
  const names = Object.keys(profiles)
  if (names.includes(name) || (names.length === 0 && place === undefined)) {
    return hints.account(flag)
  }
  return hints.profiles(names, flag, name)
}

/** The setting that gives the key: FH_API_KEY, else FH_API_KEY_FILE, else the stored key, else `key_command`. */
export function keySetting(settings: GivenSettings) {
  const names = ['api_key_file', 'api_key', 'key_command'] as const
  const name = settings.api_key?.source === 'env' ? 'api_key' : names.find((one) => settings[one] !== undefined)
  const setting = name && settings[name]
  return name && setting && { name, ...setting }
}

/**
 * The API key that the settings give.
 *
 * @returns undefined where none is set; `whose` says where it comes from
 * @throws CliError if the file cannot be read, the command fails, or the text cannot be a key
 */
export async function resolveApiKey(settings: GivenSettings): Promise<Omit<Credentials, 'baseUrl'> | undefined> {
  const given = keySetting(settings)
  if (given === undefined) return undefined
  const { name, value, origin } = given
  switch (name) {
    case 'api_key':
      return { apiKey: checkApiKey(value, origin), whose: `from ${origin}` }
    case 'api_key_file':
      return { apiKey: checkApiKey(readKeyFile(value), `${origin}=${value}`), whose: `from ${origin}=${value}` }
    case 'key_command':
      return { apiKey: checkApiKey(await runKeyCommand(value), name), whose: `from the key_command of ${origin}` }
  }
}

/** @throws CliError that names a variable that is set but empty, as by a secret that is missing */
export function refuseEmptyKey({ api_key: key, api_key_file: file }: GivenSettings): void {
  const empty = [key, file].find((setting) => setting?.source === 'env' && setting.value.trim() === '')
  if (empty === undefined) return
  throw new CliError('no-api-key', `${empty.origin} is set, but empty`, {
    hint: hints.emptySecret,
  })
}

/**
 * The variable whose key is used although `--profile` names a profile with a key of its own, or one that is not stored;
 * undefined where the profile's key is used.
 */
export function keyBeforeProfile(
  settings: GivenSettings,
  { name, place, profiles, stored }: ProfileInUse,
): string | undefined {
  const used = keySetting(settings)
  if (used?.source !== 'env' || place !== '--profile') return undefined
  const hasKey = stored['api_key'] !== undefined || stored['key_command'] !== undefined
  return hasKey || !Object.hasOwn(profiles, name) ? used.origin : undefined
}

/**
 * Checks that a key fits into an HTTP header.
 * @param place names the key's source in messages
 * @throws CliError, whose message does not contain the key
 */
export function checkApiKey(text: string, place: string): string {
  if (isUtf16(text)) throw usageError(`${place}: the API key is UTF-16 text: save it as UTF-8`)
  const key = withoutQuotes(text).trim()
  if (key === '') throw new CliError('no-api-key', `${place}: the API key is empty`)
  if (isKey(key)) return key
  throw usageError(`${place}: an API key has no spaces, line breaks or special letters; was more than the key copied?`)
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('no-api-key', `FH_API_KEY_FILE: ${path} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

async function runKeyCommand(command: string): Promise<string> {
  const { execSync } = await import('node:child_process')
  try {
    // The command may ask for a password on the terminal, so it gets fh's stdin and stderr.
    return execSync(command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] })
  } catch (error) {
    throw new CliError('no-api-key', `key_command failed: ${command}`, { cause: error })
  }
}

/**
 * Sends a stored key, and the output of a stored `key_command`, only to the base URL stored with it: another base URL may
 * come from the environment of a folder that belongs to someone else.
 * @param asked the base URL in use
 * @throws CliError if the key is stored with another base URL; `key_command` has not been run then
 */
function assertKeyIsFor(asked: string, settings: GivenSettings, profile: ProfileInUse): void {
  const { name, flag, stored, profiles } = profile
  const used = keySetting(settings)
  if (used?.source !== 'profile') return
  const what = used.name === 'api_key' ? 'stored key' : 'key_command'
  const address = stored['base_url']
  if (address !== undefined && isSameService(address, asked)) return
  if (address !== undefined) {
    const fitting = Object.entries(profiles).find(
      ([, { base_url: own = '', api_key, key_command }]) =>
        (api_key ?? key_command) !== undefined && isSameService(own, asked),
    )
    throw new CliError('no-api-key', `The ${what} of profile ${name} is for ${address}, not for ${asked}`, {
      hint: hints.keyWithAddress(' --profile NAME', fitting?.[0]),
    })
  }
  const hint = used.name === 'api_key' ? hints.keyWithAddress(flag) : hints.set('base_url', flag)
  throw new CliError('no-api-key', `The ${what} of profile ${name} is stored without the address it is for`, { hint })
}

/**
 * Whether a profile with this base URL would send its key to another service.
 * @returns what has to be removed first
 */
export function keyInTheWay(profile: Profile, address: string): 'stored key' | 'key_command' | undefined {
  const { base_url: stored, api_key: key, key_command: command } = profile
  if (stored !== undefined && isSameService(stored, address)) return undefined
  if (key !== undefined) return 'stored key'
  // key_command may be stored before its base URL is.
  return command !== undefined && stored !== undefined ? 'key_command' : undefined
}

/**
 * Whether a key stored with one base URL may be sent to another: the same host and path. All loopback names are the same
 * host; https is allowed for http, not the other way round.
 */
export function isSameService(stored: string, asked: string): boolean {
  const [from, to] = [addressOf(stored), addressOf(asked)]
  if (from === undefined || to === undefined) return false
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:'
  return (
    (from.protocol === to.protocol || isSafer) && hostAndPort(from) === hostAndPort(to) && pathOf(from) === pathOf(to)
  )
}

function addressOf(text: string): URL | undefined {
  try {
    return new URL(readServiceAddress(text))
  } catch {
    return undefined
  }
}

/** Whether a URL is below a base URL; http and https count as the same, since no key is sent there. */
export function isBelow(url: URL, baseUrl: string): boolean {
  const base = new URL(baseUrl)
  return hostAndPort(url) === hostAndPort(base) && url.pathname.startsWith(`${pathOf(base)}/`)
}

function hostAndPort({ hostname, port }: URL): string {
  return `${isLoopback(hostname) ? 'localhost' : hostname}:${port}`
}

function pathOf({ pathname }: URL): string {
  return withoutTrailingSlashes(pathname).replace(/\/api$/, '')
}
