import type { Command } from 'commander'
import { connectionError } from '../../client/call-errors.ts'
import { AuthenticationError, FileHostError } from '../../client/errors.ts'
import { TransportError } from '../../client/transports/transport.ts'
import { assertPrivate } from '../config/connection.ts'
import { type Credentials, checkApiKey, refuseEmptyKey } from '../config/credentials.ts'
import { readServiceAddress, readSetting } from '../config/settings.ts'
import { type Context, openSiteAccess, type Start } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { hints } from '../failures/hints.ts'
import { readAll } from '../input/stdin-text.ts'
import { notes } from '../output/notes.ts'

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
  const check = async (credentials: Credentials) => {
    const client = await context.client({ credentials, retries: 0 })
    const { uploads } = await client.stats({ signal: interruption.stopping })
    return { credentials, uploads }
  }
  const { credentials, uploads } = withKey
    ? await check(await readCredentials(context))
    : await askUntilAccepted(context, check)
  const { baseUrl, apiKey } = credentials
  await config.changeProfile(name, (profile) => ({ ...profile, base_url: baseUrl, api_key: apiKey }))
  const { path } = config
  const text = `Logged in to ${baseUrl} (uploads: ${uploads}); stored in profile ${name} of ${path}`
  tell({ data: { profile: name, base_url: baseUrl, path }, text })
  if (!withKey || flag !== '') note(notes.next(flag))
}

function assertKeyWouldBeUsed({ settings }: Context): void {
  const given = settings()
  refuseEmptyKey(given)
  const variable = [given.api_key, given.api_key_file].find((setting) => setting?.source === 'env')
  if (variable === undefined) return
  throw usageError(`${variable.origin} is set and wins over a stored key: unset it to log in`)
}

const keyTextLimit = { bytes: 4 * 1_048_576, error: 'standard input: more than 4 MB is no API key' }

/** The key from standard input; the address from a flag, the environment or the profile. */
async function readCredentials({ io, interruption, settings }: Context): Promise<Credentials> {
  const baseUrl = readSetting(settings(), 'base_url')
  if (baseUrl === undefined) {
    const message = 'Cannot ask for the address of the service: standard input is the key'
    throw new CliError('prompt-needed', message, { hint: hints.loginWithoutAsking })
  }
  const text = (await readAll(io.stdin, interruption.stopping, keyTextLimit)).toString('utf8')
  const place = 'standard input'
  return { baseUrl, apiKey: checkApiKey(text, place), whose: `from ${place}` }
}

/**
 * Asks for the address, unless a flag or the environment gives it, and for the key; after a wrong answer for that one
 * again, as long as the person tries.
 * @param check fails where the service does not accept them
 */
async function askUntilAccepted<Result>(
  context: Context,
  check: (credentials: Credentials) => Promise<Result>,
): Promise<Result> {
  const { assertPossible } = await context.prompt()
  assertPossible('for the API key', hints.loginWithoutAsking)
  const given = givenAddress(context)
  let offer = context.settings().base_url?.value
  let apiKey: string | undefined
  let answering: string | undefined
  for (;;) {
    const baseUrl = answering ?? given ?? (await askAddress(context, offer))
    try {
      // Before a person types a key for nothing.
      if (answering === undefined) await knock(baseUrl, context)
      answering = baseUrl
      apiKey ??= await askKey(context)
      return await check({ baseUrl, apiKey, whose: 'as typed' })
    } catch (error) {
      const wrong = wrongAnswer(error)
      if (wrong === undefined || (wrong === 'address' && given !== undefined)) throw error
      refuse(error, context)
      if (wrong === 'key') apiKey = undefined
      else answering = undefined
      offer = baseUrl
    }
  }
}

/** Looks whether anything answers at an address, by a request without a key: it is none to the API, and costs no unit. */
async function knock(baseUrl: string, context: Context): Promise<void> {
  const { transport, userAgent } = await openSiteAccess(context)
  const [method, url] = ['HEAD', `${baseUrl}/`]
  const { stopping: signal } = context.interruption
  try {
    const { body } = await transport.send({ method, url, headers: { 'user-agent': userAgent }, signal })
    for await (const _ of body) break
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    throw connectionError(error, { request: { method, path: '/' }, url, server: baseUrl, hint: hints.network })
  } finally {
    await transport.close?.()
  }
}

/** From a flag or the environment, which no question can change. */
function givenAddress({ settings }: Context): string | undefined {
  return settings().base_url?.source === 'profile' ? undefined : readSetting(settings(), 'base_url')
}

/** @param offer the answer that Enter alone gives */
async function askAddress(context: Context, offer = ''): Promise<string> {
  const { ask } = await context.prompt()
  for (;;) {
    const typed = await ask(`Address of the service${offer && ` [${offer}]`}: `)
    try {
      const answer = typed.trim() || offer
      if (answer === '') throw usageError('No address was typed', hints.writeLike('files.example, or localhost:4884'))
      const address = readServiceAddress(answer)
      assertPrivate(address, context.settings(), context.flags)
      return address
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof CliError)) throw error
      refuse(error, context)
    }
  }
}

async function askKey(context: Context): Promise<string> {
  const { askHidden } = await context.prompt()
  for (;;) {
    const key = await askHidden('API key (not shown): ')
    try {
      return checkApiKey(key, 'The key as typed')
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      refuse(error, context)
    }
  }
}

/** Says what is wrong with an answer. Ending instead would let the next one, maybe the key, be typed into the shell. */
function refuse(error: unknown, { reporter }: Context): void {
  reporter.report({ type: 'failed', failure: describeFailure(error) })
}

/**
 * Which answer of the person a failure of the check puts in doubt.
 * @returns undefined where neither: the account may not, or the service is in trouble
 */
function wrongAnswer(error: unknown): 'address' | 'key' | undefined {
  if (!(error instanceof FileHostError)) return undefined
  // A 401 that does not have the service's words comes from another server (spec 5.4).
  if (error instanceof AuthenticationError) return error.serviceMessage === undefined ? 'address' : 'key'
  if (error.code === 'connection-failed' || error.code === 'timeout') return 'address'
  const isForeign = ['not-found', 'validation-failed', 'unexpected-response'].includes(error.code)
  return isForeign && (error.status ?? 0) < 500 ? 'address' : undefined
}
