import { CliError } from '../failures/cli-error.ts'
import { isSameService } from './same-service.ts'
import type { Profile, ProfileInUse, Settings } from './settings.ts'

/**
 * A key that is stored, and one that a stored command prints, goes to the address it is stored with and to no other: an
 * address can come from the environment of a folder that belongs to someone else.
 * @param asked the address in use
 * @throws CliError where the key in use is stored with another address; no command has been run by then
 */
export function assertKeyIsFor(
  asked: string,
  { api_key: key, api_key_file: file, key_command: command }: Settings,
  { name, stored }: Pick<ProfileInUse, 'name' | 'stored'>,
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
    hint: `${howToBind(what, name)}, or set FH_API_KEY`,
  })
}

/**
 * Whether a profile would send its key to another address if it had this one.
 * @returns what of it stands in the way
 */
export function keyInTheWay(profile: Profile, address: string): 'stored key' | 'key_command' | undefined {
  const { base_url: stored, api_key: key, key_command: command } = profile
  if (stored !== undefined && isSameService(stored, address)) return undefined
  if (key !== undefined) return 'stored key'
  // A command is stored by itself, before or after its address.
  return command !== undefined && stored !== undefined ? 'key_command' : undefined
}

function howToBind(what: 'stored key' | 'key_command', profile: string): string {
  const which = profile === 'default' ? '' : ` --profile ${profile}`
  return what === 'stored key'
    ? `fh login${which} stores both`
    : `fh config set base_url URL${which} stores the address`
}
