import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Account } from '../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../system/account-hash.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { uploadsPath } from '../../uploads/names.ts'
import type { Profile } from '../config/config-store.ts'
import { readServiceAddress } from '../config/settings.ts'
import type { Context, Start } from '../context/context.ts'
import { CliError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { notes } from '../output/notes.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Delete the stored API key of the profile. The key stays valid on the website.')
    .option('--forget', 'forget the record of its uploads too: names, hashes, slugs')
    .addHelpText('after', '\nExamples:\n  fh logout\n  fh logout --profile work --forget')
    .action(({ forget = false }: { forget?: boolean }) => start((context) => logOut(forget, context)))
}

/** @param forget whether to forget the record of the account's uploads too */
async function logOut(forget: boolean, context: Context): Promise<void> {
  const { config, note, tell, io } = context
  const { name, stored: profile } = context.profile()
  const { api_key: key } = profile
  // The key names the account, so it has to be known before it is removed.
  const account = storedAccount(profile) ?? (forget ? await accountInUse(context) : undefined)
  if (key !== undefined) await config.changeProfile(name, ({ api_key: _, ...rest }) => rest)
  const isKept = forget && existsSync(uploadsPath(io.env))
  // A failure is reported once it is known what has become of the key.
  const error = isKept ? await forgetUploads(account, context).catch((failure: unknown) => failure) : undefined
  const forgotten = isKept && error === undefined
  const left = key === undefined ? `No key is stored in profile ${name}` : `Deleted the key of profile ${name}`
  const data = { profile: name, removed: key !== undefined, ...(forget && { forgotten }) }
  tell({ data, text: `${left}${forgotten ? '; forgot its record of uploads' : ''}` })
  const variables = ['FH_API_KEY', 'FH_API_KEY_FILE'].filter((variable) => io.env[variable])
  const others = profile.key_command ? [...variables, 'key_command'] : variables
  for (const source of others) note(notes.inUse(source, 'a stored key'))
  if (error !== undefined) throw error
}

function accountOf(baseUrl: string, apiKey: string): Account {
  return { address: accountAddress(baseUrl), keyHash: accountHash(baseUrl, apiKey) }
}

function storedAccount({ api_key: key, base_url: baseUrl }: Profile): Account | undefined {
  if (key === undefined || baseUrl === undefined) return undefined
  try {
    return accountOf(readServiceAddress(baseUrl), key.trim())
  } catch {
    // A key goes, whatever stands beside it.
    return undefined
  }
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

/** Forgets the uploads of the account, but not what runs at work are sending. */
async function forgetUploads(account: Account | undefined, { io, clock, profile, note }: Context): Promise<void> {
  const path = uploadsPath(io.env)
  if (account === undefined) {
    const message = `The record of uploads of profile ${profile().name} was not forgotten: its key is not known`
    throw new CliError('no-api-key', message, { hint: hints.forgetWithKey(path) })
  }
  const { SqliteUploads } = await import('../../store/sqlite-uploads.ts')
  let reason: string | undefined
  const store = new SqliteUploads({
    ...{ path, account, clock },
    onProblem(problem) {
      if (problem.type === 'unusable') reason = problem.reason
    },
  })
  try {
    const atWork = await store.forgetAccount()
    if (reason !== undefined) throw new Error(reason)
    if (atWork > 0) note(notes.forgetAgain)
  } catch (cause) {
    const message = `The record of uploads was not forgotten: ${reasonOf(cause)}`
    throw new CliError('state-unwritable', message, { hint: hints.forgetWithKey(path), cause })
  } finally {
    await store.close()
  }
}
