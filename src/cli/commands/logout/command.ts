import type { Command } from 'commander'
import type { Account } from '../../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../../system/account-hash.ts'
import type { Environment } from '../../../system/environment.ts'
import { readServiceAddress } from '../../config/service-address.ts'
import type { Profile } from '../../config/settings.ts'
import type { Context, Start } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'
import { formatClockTime } from '../../format/format.ts'
import type { Memory } from './forget-account.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Delete the stored API key of the profile. The key stays valid on the website.')
    .option('--forget', 'forget the record of its uploads too: names, hashes, slugs')
    .addHelpText('after', '\nExamples:\n  fh logout\n  fh logout --profile work --forget')
    .action(({ forget = false }: { forget?: boolean }) => start((context) => logOut(forget, context)))
}

/** @param forget whether to forget the record of the account's uploads too */
export async function logOut(forget: boolean, context: Context): Promise<void> {
  const { config, note, tell, io } = context
  const { name } = context.profile()
  const profile = config.profile(name)
  const { api_key: key } = profile
  const { openMemory } = await import('./forget-account.ts')
  const memory = openMemory(context)
  // The key names the account, so it has to be known before it is removed.
  const account = storedAccount(profile) ?? (forget ? await accountInUse(context) : undefined)
  const withoutKey = (now: Profile) => {
    const { api_key: stored, ...rest } = now
    return stored === key ? rest : now
  }
  // A key that another process has stored since stays.
  if (key !== undefined) await config.changeProfile(name, withoutKey)
  const result = forget ? await forgetUploads(account, name, memory) : undefined
  const data = { profile: name, removed: key !== undefined, ...(result && { forgotten: result.forgotten }) }
  const left = data.removed ? `Deleted the key of profile ${name}` : `No key is stored in profile ${name}`
  tell({ data, text: `${left}${result?.forgotten ? '; forgot its record of uploads' : ''}` })
  // A file that cannot be read matters to --forget only.
  const isRecorded = !forget && account !== undefined && (await memory.has(account).catch(() => false))
  if (isRecorded) note('The record of its uploads stays; after another login, fh logout --forget forgets it too')
  for (const { pid, since: at } of result?.atWork ?? []) {
    const since = formatClockTime(at, context.clock.now())
    note(`Process ${pid} has been uploading to the account since ${since}: what it records is forgotten when it ends`)
  }
  for (const source of otherSources(io.env, profile)) note(`${source} is still set, and is still used`)
  if (result?.error !== undefined) throw result.error
}

/**
 * A failure is reported once the user knows what has become of the key.
 * @returns the runs that keep what they have until they end, too
 */
async function forgetUploads(account: Account | undefined, profile: string, memory: Memory) {
  try {
    if (!(await memory.has(account))) return { forgotten: false }
    if (account === undefined) throw keyNotKnown(profile, memory)
    return { forgotten: true, atWork: await memory.forget(account) }
  } catch (error) {
    return { forgotten: false, error }
  }
}

function accountOf(baseUrl: string, apiKey: string): Account {
  return { address: accountAddress(baseUrl), keyHash: accountHash(baseUrl, apiKey) }
}

function storedAccount({ api_key: key, base_url: baseUrl }: Profile): Account | undefined {
  if (key === undefined || baseUrl === undefined) return undefined
  return accountOf(readServiceAddress(baseUrl), key.trim())
}

/** Undefined where it is not known. */
async function accountInUse(context: Context): Promise<Account | undefined> {
  try {
    const { baseUrl, apiKey } = await context.credentials()
    return accountOf(baseUrl, apiKey)
  } catch (error) {
    if (error instanceof CliError) return undefined
    throw error
  }
}

function keyNotKnown(profile: string, { path }: Memory): CliError {
  const message = `The record of uploads of profile ${profile} was not forgotten: its key is not known`
  return new CliError('no-api-key', message, {
    hint: `Run it again with the key in FH_API_KEY, or delete ${path} to forget the uploads of all accounts`,
  })
}

function otherSources(env: Environment, profile: Profile): readonly string[] {
  const variables = ['FH_API_KEY', 'FH_API_KEY_FILE'].filter((name) => env[name])
  return profile['key_command'] ? [...variables, 'key_command'] : variables
}
