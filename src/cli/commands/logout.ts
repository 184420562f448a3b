import type { Command } from 'commander'
import { accountHash, formerAccountHashes } from '../../system/account-hash.ts'
import type { Environment } from '../../system/environment.ts'
import { settingDefinitions } from '../config/setting-definitions.ts'
import type { Profile } from '../config/settings.ts'
import type { Context } from '../context/context.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Memory } from '../journal/forget-account.ts'
import type { RunFact } from '../journal/journal-facts.ts'

export interface LogoutOptions {
  /** Whether to forget the record of the account's uploads too. */
  readonly forget: boolean
}

export function register(command: Command, start: (options: LogoutOptions) => void): void {
  command
    .description('Delete the stored API key of the profile. The key stays valid on the website.')
    .option('--forget', 'forget the record of its uploads too: names, hashes, slugs')
    .addHelpText('after', '\nExamples:\n  fh logout\n  fh logout --profile work --forget')
    .action(({ forget }: Partial<LogoutOptions>) => start({ forget: forget === true }))
}

export async function run({ forget }: LogoutOptions, context: Context): Promise<void> {
  const { config, reporter, io } = context
  const { name } = context.profile()
  const profile = config.profile(name)
  const { api_key: key } = profile
  const { openMemory } = await import('../journal/forget-account.ts')
  const memory = openMemory(context)
  // The key names the account, so it has to be known before it is removed.
  const account = storedAccount(profile) ?? (forget ? await accountInUse(context) : [])
  // A key that another process has stored since stays.
  if (key !== undefined) await config.changeProfile(name, (now) => (now['api_key'] === key ? withoutKey(now) : now))
  const result = forget ? await forgetUploads(account, name, memory) : undefined
  const data = { profile: name, removed: key !== undefined, ...(result && { forgotten: result.forgotten }) }
  reporter.report({ type: 'effect', effect: { type: 'logged-out', data } })
  if (!forget && account.length > 0 && (await isRecorded(memory, account))) {
    reporter.report({ type: 'note', note: { type: 'record-stays' } })
  }
  for (const { pid, at } of result?.atWork ?? []) {
    reporter.report({ type: 'note', note: { type: 'forgets-later', pid, since: at, now: context.clock.now() } })
  }
  for (const source of otherSources(io.env, profile)) {
    reporter.report({ type: 'note', note: { type: 'key-still-set', source } })
  }
  if (result?.error !== undefined) throw result.error
}

function withoutKey({ api_key: _, ...rest }: Profile): Profile {
  return rest
}

interface Forgetting {
  readonly forgotten: boolean
  /** Runs that keep what they have until they end. */
  readonly atWork?: readonly RunFact[]
  readonly error?: unknown
}

/** A failure is reported once the user knows what has become of the key. */
async function forgetUploads(account: AccountNames, profile: string, memory: Memory): Promise<Forgetting> {
  try {
    if (!(await memory.has(account))) return { forgotten: false }
    if (account.length === 0) return { forgotten: false, error: keyNotKnown(profile, memory) }
    return { forgotten: true, atWork: await memory.forget(account) }
  } catch (error) {
    return { forgotten: false, error }
  }
}

async function isRecorded(memory: Memory, account: AccountNames): Promise<boolean> {
  try {
    return await memory.has(account)
  } catch {
    // A file that cannot be read matters to --forget only.
    return false
  }
}

/** All names under which an account may be recorded; none where it is not known. */
type AccountNames = readonly string[]

function namesOf(baseUrl: string, apiKey: string): AccountNames {
  return [accountHash(baseUrl, apiKey), ...formerAccountHashes(baseUrl, apiKey)]
}

function storedAccount({ api_key: key, base_url: baseUrl }: Profile): AccountNames | undefined {
  if (key === undefined || baseUrl === undefined) return undefined
  return namesOf(settingDefinitions.base_url.parse(baseUrl), key.trim())
}

/** The account of a key that is not stored. */
async function accountInUse(context: Context): Promise<AccountNames> {
  try {
    const { baseUrl, apiKey } = await context.credentials()
    return namesOf(baseUrl, apiKey)
  } catch (error) {
    if (error instanceof CliError) return []
    throw error
  }
}

function keyNotKnown(profile: string, { paths }: Memory): CliError {
  const message = `The record of uploads of profile ${profile} was not forgotten: its key is not known`
  return new CliError('no-api-key', message, {
    hint: `Run it again with the key in FH_API_KEY, or delete ${paths} to forget the uploads of all accounts`,
  })
}

/** The other places that still provide a key. */
function otherSources(env: Environment, profile: Profile): readonly string[] {
  const variables = ['FH_API_KEY', 'FH_API_KEY_FILE'].filter((name) => env[name])
  return profile['key_command'] ? [...variables, 'key_command'] : variables
}
