import type { Command } from 'commander'
import { checkApiKey, refuseEmptyKey } from '../../config/api-key.ts'
import type { Credentials } from '../../config/connection.ts'
import { describeOrigin, readSetting } from '../../config/settings.ts'
import type { ClientChoice, Context, Start } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { readAll } from '../../input/stdin-text.ts'
import { askAddress, askUntilAccepted, readPastedKey } from './questions.ts'

export function register(command: Command, start: Start): void {
  command
    .description('Ask for the address of a service and an API key, check them and store them.')
    .option('--with-key', 'read the key from standard input')
    .addHelpText('after', examples)
    .action(({ withKey = false }: { withKey?: boolean }) => start((context) => logIn(withKey, context)))
}

const examples = `
Create a key on the API key page of the website, which shows it once. After a
wrong answer only that question is asked again; Ctrl-C ends, nothing is stored.

Examples:
  fh login
  fh login --base-url files.example --with-key < key.txt
  fh login --profile work`

async function logIn(withKey: boolean, context: Context): Promise<void> {
  const { config, note, tell, interruption } = context
  assertKeyWouldBeUsed(context)
  const { name, flag } = context.profile()
  /** With one statistics call. @returns the number of uploads */
  const check = async (credentials: Credentials, choice: Pick<ClientChoice, 'retries'> = {}) => {
    const client = await context.client({ credentials, ...choice })
    const { uploads } = await client.stats({ signal: interruption.stopping })
    return { credentials, uploads }
  }
  const { credentials, uploads } = withKey
    ? await check(await readCredentials(context))
    : await askUntilAccepted(context, (asked) => check(asked, { retries: 0 }))
  const { baseUrl, apiKey } = credentials
  await config.changeProfile(name, (profile) => ({ ...profile, base_url: baseUrl, api_key: apiKey }))
  const { path } = config
  const text = `Logged in to ${baseUrl} (uploads: ${uploads}); stored in profile ${name} of ${path}`
  tell({ data: { profile: name, base_url: baseUrl, path }, text })
  if (flag !== '') note(`Next: fh upload${flag} photo.jpg, or fh config use ${name} to make it the default`)
  else if (!withKey) note('Next: fh upload photo.jpg')
}

function assertKeyWouldBeUsed({ settings }: Context): void {
  const given = settings()
  refuseEmptyKey(given)
  const variable = [given.api_key, given.api_key_file].find((setting) => setting?.origin.type === 'env')
  if (variable === undefined) return
  const name = describeOrigin(variable.origin)
  throw usageError(`${name} is set and wins over a stored key: unset it to log in`)
}

const keyTextLimit = { bytes: 4 * 1_048_576, error: 'standard input: more than 4 MB is no API key' }

/** The key from standard input; the address from a flag, the environment or the profile, and asked for without any. */
async function readCredentials(context: Context): Promise<Credentials> {
  const { input, interruption } = context
  const known = readSetting(context.settings(), 'base_url')
  if (known === undefined) {
    const { assertPossible } = await context.prompt()
    assertPossible('for the address of the service', 'Give it with --base-url URL or FH_BASE_URL')
  }
  const baseUrl = known ?? (await askAddress(context))
  const text = (await readAll(input(), interruption.stopping, keyTextLimit)).toString('utf8')
  const place = 'standard input'
  return { baseUrl, apiKey: checkApiKey(readPastedKey(text), place), whose: `from ${place}` }
}
