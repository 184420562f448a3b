import { isLoopback } from '../../internal.ts'
import { CliError } from '../failures/cli-error.ts'
import { readServiceAddress } from './service-address.ts'
import type { GivenSettings, Profile, ProfileInUse } from './settings.ts'

/**
 * Sends a stored key, and the output of a stored `key_command`, only to the base URL stored with it: another base URL may
 * come from the environment of a folder that belongs to someone else.
 * @param asked the base URL in use
 * @throws CliError if the key is stored with another base URL; `key_command` has not been run then
 */
export function assertKeyIsFor(
  asked: string,
  { api_key: key, api_key_file: file, key_command: command }: GivenSettings,
  { name, flag, stored }: Pick<ProfileInUse, 'name' | 'flag' | 'stored'>,
): void {
  const used = key?.origin.type === 'env' ? key : (file ?? key ?? command)
  if (used?.origin.type !== 'profile') return
  const what = used === key ? 'stored key' : 'key_command'
  const address = stored()['base_url']
  if (address !== undefined && isSameService(address, asked)) return
  const hint = 'Use --profile NAME for a profile of that address, or set FH_API_KEY'
  if (address !== undefined) {
    throw new CliError('no-api-key', `The ${what} of profile ${name} is for ${address}, not for ${asked}`, { hint })
  }
  throw new CliError('no-api-key', `The ${what} of profile ${name} is stored without the address it is for`, {
    hint: `${howToBind(what, flag)}, or set FH_API_KEY`,
  })
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

function howToBind(what: 'stored key' | 'key_command', flag: string): string {
  return what === 'stored key' ? `fh login${flag} stores both` : `fh config set base_url URL${flag} stores the address`
}

/**
 * Whether a key stored with one base URL may be sent to another: the same host and path. All loopback names are the same
 * host; https is allowed for http, not the other way round.
 */
export function isSameService(stored: string, asked: string): boolean {
  const [from, to] = [addressOf(stored), addressOf(asked)]
  if (from === undefined || to === undefined) return false
  const isSafer = from.protocol === 'http:' && to.protocol === 'https:'
  return (from.protocol === to.protocol || isSafer) && hostOf(from) === hostOf(to) && pathOf(from) === pathOf(to)
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
  return hostOf(url) === hostOf(base) && url.pathname.startsWith(`${pathOf(base)}/`)
}

function hostOf({ hostname, port }: URL): string {
  return `${isLoopback(hostname) ? 'localhost' : hostname}:${port}`
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/(?<!\/)\/+$/, '').replace(/\/api$/, '')
}
