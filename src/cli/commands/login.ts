import type { Command } from 'commander'
import { reasonOf } from '../../system/system-errors.ts'
import { checkApiKey } from '../config/api-key.ts'
import { settingDefinitions } from '../config/setting-definitions.ts'
import { readSetting } from '../config/settings.ts'
import { usageError } from '../failures/cli-error.ts'
import { readAll } from '../input/stdin-text.ts'
import type { Context } from '../run/context.ts'

export interface LoginOptions {
  /** Whether to read the key from standard input instead of prompting. */
  readonly withKey: boolean
}

export function register(command: Command, start: (options: LoginOptions) => void): void {
  command
    .description('Ask for the address of a service and an API key, check them and store them.')
    .option('--with-key', 'read the key from standard input')
    .addHelpText('after', examples)
    .action(({ withKey }: Partial<LoginOptions>) => start({ withKey: withKey === true }))
}

const examples = `
Create a key on the API key page of the website, which shows it once.

Examples:
  fh login
  fh login --base-url https://files.example --with-key < key.txt
  fh login --profile work`

export async function run({ withKey }: LoginOptions, context: Context): Promise<void> {
  const { config, reporter, io } = context
  assertKeyWouldBeUsed(context)
  const { name: profileName } = context.profile()
  const profile = config.profile(profileName)
  const apiKeyNeeded = 'Read the key from a file: fh login --base-url URL --with-key < key.txt'
  if (!withKey) context.prompt.assertPossible('for the API key', apiKeyNeeded)
  const baseUrl = await chooseBaseUrl(context)
  const apiKey = withKey
    ? checkApiKey((await readAll(io.stdin, context.interruption.stopping)).toString('utf8'), 'standard input')
    : checkApiKey(await context.prompt.askHidden('API key (not shown): '), 'API key')
  const client = await context.client({ credentials: { baseUrl, apiKey } })
  const stats = await client.stats({ signal: context.interruption.stopping })
  await config.saveProfile(profileName, { ...profile, base_url: baseUrl, api_key: apiKey })
  const data = { profile: profileName, base_url: baseUrl, path: config.path }
  reporter.report({ type: 'effect', effect: { type: 'logged-in', data, uploads: stats.uploads } })
}

function assertKeyWouldBeUsed({ io: { env } }: Context): void {
  const name = ['FH_API_KEY', 'FH_API_KEY_FILE'].find((variable) => env[variable])
  if (name === undefined) return
  throw usageError(
    `${name} is set, so a stored key would not be used`,
    `Unset ${name} first; with it, no login is needed`,
  )
}

/** An address from a flag or the environment is used without a question; a stored one is the default answer. */
async function chooseBaseUrl(context: Context): Promise<string> {
  const settings = context.settings()
  const known = settings.base_url
  if (known !== undefined && known.origin.type !== 'profile') {
    return readSetting(settings, 'base_url') ?? ''
  }
  const { prompt } = context
  if (known !== undefined && !isPossible(prompt)) return readSetting(settings, 'base_url') ?? ''
  prompt.assertPossible('for the address of the service', 'Give it with --base-url URL or FH_BASE_URL')
  const offer = known === undefined ? '' : ` [${known.value}]`
  for (;;) {
    const answer = (await prompt.ask(`Address of the service${offer}: `)).trim() || (known?.value ?? '')
    try {
      return settingDefinitions.base_url.parse(answer)
    } catch (error) {
      // Ask again instead of ending: the user may type the key next, and it must not end up in the shell.
      context.reporter.report({ type: 'warning', warning: { type: 'answer-refused', reason: reasonOf(error) } })
    }
  }
}

function isPossible(prompt: Context['prompt']): boolean {
  try {
    prompt.assertPossible('', '')
    return true
  } catch {
    return false
  }
}
