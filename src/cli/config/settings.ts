import { isLoopback, parseBaseUrl, withoutTrailingSlashes } from '../../client/base-url.ts'
import { defaultRetries } from '../../client/retry.ts'
import { parseProxy } from '../../client/transports/open-connection.ts'
import { defaultIdleTimeoutMs } from '../../client/transports/transport.ts'
import { formatQuotaLimits, parseClientLimits } from '../../environment/quota-limits.ts'
import type { QuotaLimits } from '../../index.ts'
import { defaultMaxFileSizeBytes } from '../../protocol/media-types.ts'
import { defaultLimits } from '../../protocol/rate-limits.ts'
import { parseRedisUrl, redactRedisUrl } from '../../store/redis/url.ts'
import { type Environment, readVariable } from '../../system/environment.ts'
import { usageError } from '../failures/cli-error.ts'
import { formatByteSize, parseByteSize, parseDuration } from '../format/format.ts'
import { type Config, isProfileName, type Profile, profileOf, usualProfile } from './config-store.ts'
import { definitionOf, flagGiven, type GlobalFlags, type SettingName, settingNames } from './global-flags.ts'

interface SettingValues {
  /** @param onTerminal whether a person sees the messages of the run */
  readonly default?: (onTerminal: boolean) => string
  readonly redact?: (text: string) => string
  /** @throws TypeError where the text is not a value of this setting */
  parse(text: string): unknown
}

const asText = (text: string) => text

/** How the value of each setting is written, and what it is where the setting is not set. */
export const settingValues = {
  base_url: { parse: readServiceAddress },
  api_key: { parse: asText },
  api_key_file: { parse: asText },
  key_command: { parse: asText },
  timeout: { default: () => `${defaultIdleTimeoutMs / 1_000}s`, parse: parseTimeout },
  max_wait: {
    default: (onTerminal) => (onTerminal ? 'unlimited' : '1h'),
    /** In milliseconds. */
    parse: (text) => (text.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : parseDuration(text)),
  },
  retries: { default: () => String(defaultRetries), parse: parseRetries },
  limits: { default: () => formatQuotaLimits(defaultLimits), parse: parseClientLimits },
  max_file_size: {
    default: () => formatByteSize(defaultMaxFileSizeBytes).replace(' ', ''),
    /** In bytes. */
    parse: (text) => (text.trim() === 'none' ? Number.POSITIVE_INFINITY : parseByteSize(text)),
  },
  ledger: {
    redact: redactRedisUrl,
    parse(text) {
      parseRedisUrl(text)
      return text.trim()
    },
  },
  proxy: { parse: parseProxy },
  ca_cert: { parse: asText },
} as const satisfies Readonly<Record<SettingName, SettingValues>>

/** @returns milliseconds */
function parseTimeout(text: string): number {
  const ms = parseDuration(text)
  if (ms > 0) return ms
  throw new TypeError('a timeout must be longer than nothing: write 30s or 2m')
}

function parseRetries(text: string): number {
  if (/^\d{1,4}$/.test(text.trim())) return Number(text)
  throw new TypeError(`${JSON.stringify(text)} is not a number of retries: write 0, 1, 2, …`)
}

/** A value as it was written, and where. */
export interface Setting {
  readonly value: string
  readonly source: 'flag' | 'env' | 'profile' | 'default'
  /** Where, in messages: `--timeout`, `FH_BASE_URL`, `profile work`, `default`. */
  readonly origin: string
}

export type GivenSettings = Readonly<Partial<Record<SettingName, Setting>>>

interface SettingSources {
  readonly flags: GlobalFlags
  readonly env: Environment
  readonly config: Config
  /** Whether a person sees the messages of the run. */
  readonly onTerminal: boolean
}

/**
 * The settings of a run, each from its flag, else its variable, else the profile, else by default. Values are not checked.
 * @throws CliError of code `usage` that names the place of a name that no profile can have
 */
export function resolveSettings(sources: SettingSources) {
  const profile = profileInUse(sources)
  const entries = settingNames.flatMap((name) => {
    const setting = resolveSetting(name, sources, profile)
    return setting === undefined ? [] : [[name, setting] as const]
  })
  return { profile, settings: Object.fromEntries(entries) as GivenSettings }
}

function resolveSetting(
  name: SettingName,
  { flags, env, onTerminal }: SettingSources,
  profile: ProfileInUse,
): Setting | undefined {
  const definition = definitionOf(name)
  const given = flagGiven(name, flags)
  if (given !== undefined) return { value: given.value, source: 'flag', origin: given.flag }
  const { name: variable = '', empty = 'unset' } = definition.env ?? {}
  const value = readVariable(env, variable)
  // Shells and CI files unset a variable by making it empty.
  if (value || (value === '' && empty === 'refused')) return { value, source: 'env', origin: variable }
  if (value === '' && empty === 'none') return undefined
  const stored = definition.stored ? profile.stored[name] : undefined
  if (stored !== undefined) return { value: stored, source: 'profile', origin: `profile ${profile.name}` }
  const usual = valuesOf(name).default?.(onTerminal)
  return usual === undefined ? undefined : { value: usual, source: 'default', origin: 'default' }
}

export interface ProfileInUse {
  readonly name: string
  /** What names it; undefined where nothing does. */
  readonly place: string | undefined
  /** The one that commands use without a flag and without a variable. */
  readonly byDefault: string
  /** ` --profile NAME`, for a command in a hint; empty where that command uses the profile without it. */
  readonly flag: string
  /** What is stored in it. */
  readonly stored: Profile
  /** All profiles by their names. */
  readonly profiles: Readonly<Record<string, Profile>>
}

/** The profile in use: --profile, else FH_PROFILE, else the one that `fh config use` has chosen, else `default`. */
function profileInUse({ flags, env, config }: SettingSources): ProfileInUse {
  const byDefault = config.profile ?? usualProfile
  const variable = readVariable(env, 'FH_PROFILE') || undefined
  const name = flags.profile ?? variable ?? byDefault
  const chosen = config.profile === undefined ? undefined : 'fh config use'
  const place = flags.profile !== undefined ? '--profile' : variable !== undefined ? 'FH_PROFILE' : chosen
  const flag = name === byDefault ? '' : ` --profile ${name}`
  const { profiles } = config
  return { name: checkProfileName(name, place), place, byDefault, flag, stored: profileOf(config, name), profiles }
}

/** @throws CliError of code `usage` that names the place of a name that no profile can have */
export function checkProfileName(name: string, place: string | undefined): string {
  if (isProfileName(name)) return name
  throw usageError(`${place}: ${JSON.stringify(name)} is not a valid profile name: letters, digits and . _ - @`)
}

type Values = typeof settingValues

/** What a setting's value is read as; undefined where it may be unset. */
type SettingValue<Name extends SettingName> =
  | ReturnType<Values[Name]['parse']>
  | (Values[Name] extends { readonly default: unknown } ? never : undefined)

/**
 * The value of a setting, parsed.
 * @throws CliError of code `usage`, naming the place of a value that cannot be used
 */
export function readSetting<Name extends SettingName>(settings: GivenSettings, name: Name): SettingValue<Name> {
  const setting = settings[name]
  const parsed = setting && parseSetting(name, setting.value, placeOf(name, setting))
  return parsed as SettingValue<Name>
}

/** @throws CliError of code `usage`, naming the place of a value that cannot be used */
export function parseSetting(name: SettingName, value: string, place: string): unknown {
  try {
    return valuesOf(name).parse(value)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${place}: ${error.message}`)
    throw error
  }
}

/** The place of a value in messages: `--max-wait`, `FH_LIMITS`, `limits of profile work`. */
export function placeOf(name: SettingName, { source, origin }: Setting): string {
  return source === 'profile' ? `${name} of ${origin}` : origin
}

export function valuesOf(name: SettingName): SettingValues {
  return settingValues[name]
}

/**
 * The limits that the user names. For the other windows the library takes the usual limits, and after a refusal it
 * doubts those for longer.
 * @throws CliError of code `usage`
 */
export function limitsOf(settings: GivenSettings): Partial<QuotaLimits> {
  return settings.limits?.source === 'default' ? {} : readSetting(settings, 'limits')
}

/** Pages of the website and calls of the API, which people copy from a browser (spec 1, 2.1, 4). */
const pageOrCall = /\/(cont\/[^/]+|[iet]\/[^/]+|api\/[^/]+(\/[^/]+)?)$/

/**
 * Reads the base URL of a service as a person types or pastes it: `localhost:4884` (http for this machine, https for
 * others), with blanks or quotes around it, with `/api` at the end. Whether the key may be sent to it unencrypted is
 * checked before a connection is made.
 *
 * @returns the URL without `/api` and without trailing slashes
 * @throws TypeError that says what is wrong, and which base URL was meant where the text shows it
 */
export function readServiceAddress(text: string): string {
  const address = withScheme(unwrapPasted(text))
  const url = /^https?:/i.test(address) ? URL.parse(address) : null
  if (url === null) return parseBaseUrl(address)
  const path = withoutTrailingSlashes(url.pathname)
  const base = `${url.origin}${withoutTrailingSlashes(path.replace(pageOrCall, ''))}`
  if (base !== `${url.origin}${path}`) throw new TypeError(`That is a page or a call of the service: write ${base}`)
  if (url.search || url.hash) throw new TypeError(`The base URL must end with its path, without ? or #: write ${base}`)
  url.pathname = withoutTrailingSlashes(path.replace(/\/api$/, ''))
  return parseBaseUrl(url, { allowInsecureHttp: true })
}

/** Adds the scheme to a host: it has a dot, a port or brackets, or is this machine. Any other text may be a key in the wrong place. */
function withScheme(text: string): string {
  if (/^https?:/i.test(text) || text.includes('://')) return text
  const address = text.replace(/^\/+/, '')
  const [host = ''] = address.split(/[/?#]/, 1)
  if (!/\.|:\d|^\[/.test(host) && !isLoopback(host)) return text
  const asHttp = `http://${address}`
  return isLoopback(URL.parse(asHttp)?.hostname ?? '') ? asHttp : `https://${address}`
}

/** What a terminal sends around a pasted text (bracketed paste). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const pasteMark = /\u001b\[20[01]~/g

/** What copying brings along at both ends: blanks, line breaks, quotes, angle brackets, letters that are not seen. */
const wrapping = /[\s'"`<>“”„‘’«»\p{Cc}\p{Cf}]/u

/** A text as it was copied, without what stands around it. */
export function unwrapPasted(text: string): string {
  // Most texts have nothing around them, and letters by their Unicode categories take a while to compile.
  if (/^[\w/]([!-~]*[\w/])?$/.test(text)) return text
  const bare = text.replace(pasteMark, '')
  let [start, end] = [0, bare.length]
  while (start < end && wrapping.test(bare.charAt(start))) start += 1
  while (start < end && wrapping.test(bare.charAt(end - 1))) end -= 1
  return bare.slice(start, end)
}
