import type { Command } from 'commander'
import { AuthenticationError, FileHostError, TransportError } from '../../index.ts'
import { connectionError, isLoopback } from '../../internal.ts'
import { checkApiKey, refuseEmptyKey } from '../config/api-key.ts'
import { assertPrivate, type Credentials, proxySetting } from '../config/connection.ts'
import { AddressError, readServiceAddress, unwrapPasted } from '../config/service-address.ts'
import { describeOrigin, readSetting } from '../config/settings.ts'
import { type ClientChoice, type Context, openSiteAccess, type Start } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { describeFailure } from '../failures/failure.ts'
import { printable } from '../format/format.ts'
import { readAll } from '../input/stdin-text.ts'

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

/**
 * Asks for the address, unless a flag or the environment gives it, and for the key; after a wrong answer for that one
 * again, as long as the person tries.
 * @param check fails where the service does not accept them
 */
async function askUntilAccepted<Result>(
  context: Context,
  check: (credentials: Credentials) => Promise<Result>,
): Promise<Result> {
  const needed = 'Read the key from a file: fh login --base-url URL --with-key < key.txt'
  const { assertPossible } = await context.prompt()
  assertPossible('for the API key', needed)
  sayWhichProfile(context)
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
      offer = addressToOffer(error, baseUrl)
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
    throw connectionError(error, { request: { method, path: '/' }, url, server: baseUrl })
  } finally {
    await transport.close?.()
  }
}

/** Before the questions: a login replaces what the profile holds. */
function sayWhichProfile({ profile, note }: Context): void {
  const { name, place, stored } = profile()
  const { api_key: key, base_url: address = 'no address' } = stored()
  if (key !== undefined) note(`Profile ${name} has a key for ${printable(address)}; a new login replaces it`)
  else if (place !== undefined) note(`Logging in to profile ${name}, named by ${place}`)
}

/** The address from a flag or the environment, which no question can change. */
function givenAddress(context: Context): string | undefined {
  const settings = context.settings()
  if (settings.base_url === undefined || settings.base_url.origin.type === 'profile') return undefined
  const address = readSetting(settings, 'base_url')
  if (address !== undefined) assertPrivateAddress(address, context)
  return address
}

/** @param offered the answer that Enter alone gives */
async function askAddress(context: Context, offered?: string): Promise<string> {
  const { ask } = await context.prompt()
  let offer = offered
  for (;;) {
    const typed = await ask(`Address of the service${offer === undefined ? '' : ` [${offer}]`}: `)
    try {
      const address = readAnswer(typed.trim() || offer)
      offer = address.replace(/^http:/, 'https:')
      assertPrivateAddress(address, context)
      return address
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof CliError)) throw error
      if (error instanceof AddressError) offer = error.meant
      refuse(error, context, offer && 'Press Enter for the address in brackets, or type another; Ctrl-C stops')
    }
  }
}

function readAnswer(answer: string | undefined): string {
  if (answer !== undefined) return readServiceAddress(answer)
  throw usageError('No address was typed', 'Type it as files.example, or localhost:4884')
}

async function askKey(context: Context): Promise<string> {
  const { askHidden } = await context.prompt()
  for (;;) {
    const key = readPastedKey(await askHidden('API key (not shown): '))
    try {
      if (key === '') throw usageError('No key was typed', 'The API key page of the website makes one')
      return checkApiKey(key, 'The key as typed')
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      refuse(error, context)
    }
  }
}

/** @throws CliError where the key would travel unencrypted */
function assertPrivateAddress(address: string, { settings, flags }: Context): void {
  assertPrivate(address, proxySetting(settings()), { allowInsecureHttp: flags.insecureHttp === true })
}

/**
 * Says what is wrong with an answer. Ending instead would let the next one, maybe the key, be typed into the shell.
 * @param usualHint for an error that has none
 */
function refuse(error: unknown, { warn }: Context, usualHint = 'Type it again, or press Ctrl-C to stop'): void {
  const { message, hint } = describeFailure(error)
  warn({ message, hint: hint ?? usualHint })
}

/** What may stand before a key where it is copied from: a header, a variable. */
const labels = [/^export\s+/i, /^(x-api-key|authorization|api_key|fh_api_key)\s*[:=]/i, /^bearer\s/i]

export function readPastedKey(text: string): string {
  return labels.reduce((key, label) => unwrapPasted(key.replace(label, '')), unwrapPasted(text))
}

/**
 * Which answer of the person a failure of the check puts in doubt.
 * @returns undefined where neither: the account may not, or the service is in trouble
 */
export function wrongAnswer(error: unknown): 'address' | 'key' | undefined {
  if (!(error instanceof FileHostError)) return undefined
  // A 401 that does not have the service's words comes from another server (spec 5.4).
  if (error instanceof AuthenticationError) return error.serviceMessage === undefined ? 'address' : 'key'
  if (error.code === 'connection-failed' || error.code === 'timeout') return 'address'
  const isForeign = ['not-found', 'validation-failed', 'unexpected-response'].includes(error.code)
  return isForeign && (error.status ?? 0) < 500 ? 'address' : undefined
}

/** The address to offer after a failure at another: the other scheme, the host alone, or the same, to try it again. */
export function addressToOffer(error: unknown, baseUrl: string): string {
  const url = new URL(baseUrl)
  const { cause } = Object(error)
  if (cause instanceof TransportError) {
    return cause.failure === 'wrong-scheme' && isLoopback(url.hostname) ? baseUrl.replace('https:', 'http:') : baseUrl
  }
  return url.origin
}
