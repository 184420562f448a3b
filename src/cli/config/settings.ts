import { isLoopback, parseBaseUrl, withoutTrailingSlashes } from '../../client/base-url.ts'
import { defaultRetries } from '../../client/retry.ts'
import { parseProxy } from '../../client/transports/open-connection.ts'
import { defaultIdleTimeoutMs } from '../../client/transports/transport.ts'
import { formatQuotaLimits, parseClientLimits } from '../../environment/quota-limits.ts'
import { shellWord } from '../../environment/shell-word.ts'
import type { QuotaLimits } from '../../index.ts'
import { defaultMaxFileSizeBytes } from '../../protocol/media-types.ts'
import { defaultLimits } from '../../protocol/rate-limits.ts'
import { parseRedisUrl } from '../../store/redis/url.ts'
import { type Environment, readVariable, withoutQuotes } from '../../system/environment.ts'
import { asUsage, usageError } from '../failures/cli-error.ts'
import { formatByteSize, parseByteSize, parseDuration } from '../format/format.ts'
import { type Config, profileOf, usualProfile } from './config-store.ts'
import { definitionOf, flagGiven, type GlobalFlags, longFlag, type SettingName, settingNames } from './global-flags.ts'

const asText = (text: string) => text

/** How the value of each setting is written. Each throws a TypeError where the text is not a value of the setting. */
const parsers = {
  base_url: readServiceAddress,
  api_key: asText,
  api_key_file: asText,
  key_command: asText,
  timeout: (text: string) => parseDuration(text) || refuse('a timeout must be longer than nothing: write 30s or 2m'),
  /** In milliseconds. */
  max_wait: (text: string) => (text.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : parseDuration(text)),
  retries: (text: string) =>
    /^\d{1,4}$/.test(text.trim())
      ? Number(text)
      : refuse(`${JSON.stringify(text)} is not a number of retries: write 0, 1, 2, …`),
  limits: parseClientLimits,
  /** In bytes. */
  max_file_size: (text: string) => (text.trim() === 'none' ? Number.POSITIVE_INFINITY : parseByteSize(text)),
  ledger: (text: string) => {
    parseRedisUrl(text)
    return text.trim()
  },
  proxy: parseProxy,
  ca_cert: asText,
} as const satisfies Readonly<Record<SettingName, (text: string) => unknown>>

export const defaults = {
  timeout: `${defaultIdleTimeoutMs / 1_000}s`,
  max_wait: '1h',
  retries: String(defaultRetries),
  limits: formatQuotaLimits(defaultLimits),
  max_file_size: formatByteSize(defaultMaxFileSizeBytes).replace(' ', ''),
} as const satisfies Partial<Record<SettingName, string>>

function refuse(message: string): never {
  throw new TypeError(message)
}

export interface Setting {
  readonly value: string
  readonly source: 'flag' | 'env' | 'profile' | 'default'
  /** Where, in messages: `--timeout`, `FH_BASE_URL`, `profile work`, `default`. */
  readonly origin: string
}

export type GivenSettings = Readonly<Partial<Record<SettingName, Setting>>>

/** The settings of a run, each from its flag, else its variable, else the profile, else by default. Values are not checked. */
export function resolveSettings(flags: GlobalFlags, env: Environment, config: Config, onTerminal: boolean) {
  const profile = profileInUse(flags, env, config)
  const usual: Partial<Record<SettingName, string>> = onTerminal ? { ...defaults, max_wait: 'unlimited' } : defaults
  const settingOf = (name: SettingName): Setting | undefined => {
    const { variable, empty, stored = true } = definitionOf(name)
    const given = flagGiven(name, flags)
    if (given !== undefined) return { value: given, source: 'flag', origin: longFlag(name) }
    const value = readVariable(env, variable)
    // Shells and CI files unset a variable by making it empty.
    if (value || (value === '' && empty === 'refused')) return { value, source: 'env', origin: variable }
    if (value === '' && empty === 'none') return undefined
    const kept = stored ? profile.stored[name] : undefined
    if (kept !== undefined) return { value: kept, source: 'profile', origin: `profile ${profile.name}` }
    return usual[name] === undefined ? undefined : { value: usual[name], source: 'default', origin: 'default' }
  }
  const entries = settingNames.map((name) => [name, settingOf(name)])
  return { profile, settings: Object.fromEntries(entries.filter(([, setting]) => setting)) as GivenSettings }
}

/** The profile in use: --profile, else FH_PROFILE, else the one that `fh config use` has chosen, else `default`. */
function profileInUse(flags: GlobalFlags, env: Environment, config: Config) {
  const byDefault = config.profile ?? usualProfile
  const variable = readVariable(env, 'FH_PROFILE')
  // An empty --profile is refused: a name that is missing in a script must not mean another account.
  const name = flags.profile ?? (variable || byDefault)
  const place = flags.profile !== undefined ? '--profile' : variable ? 'FH_PROFILE' : config.profile && 'fh config use'
  // Messages repeat it, and a terminal would obey what is in it.
  if (!/^[\w.@-]{1,64}$/.test(name)) throw usageError(`${place}: ${JSON.stringify(name)} is not the name of a profile`)
  return {
    name,
    place,
    /** The one that commands use without a flag and without a variable. */
    byDefault,
    /** ` --profile NAME`, for a command in a hint; empty where that command uses the profile without it. */
    flag: name === byDefault ? '' : ` --profile ${shellWord(name)}`,
    stored: profileOf(config, name),
    profiles: config.profiles,
  }
}

export type ProfileInUse = ReturnType<typeof profileInUse>

type SettingValue<Name extends SettingName> =
  | ReturnType<(typeof parsers)[Name]>
  | (Name extends keyof typeof defaults ? never : undefined)

export function readSetting<Name extends SettingName>(settings: GivenSettings, name: Name): SettingValue<Name> {
  const setting = settings[name]
  const parsed = setting && parseSetting(name, setting.value, placeOf(name, setting))
  return parsed as SettingValue<Name>
}

export function parseSetting(name: SettingName, value: string, place: string): unknown {
  return asUsage(() => parsers[name](value), place)
}

/** The place of a value in messages: `--max-wait`, `FH_LIMITS`, `limits of profile work`. */
export function placeOf(name: SettingName, { source, origin }: Setting): string {
  return source === 'profile' ? `${name} of ${origin}` : origin
}

/** Those that the user names: the library takes the usual ones for the others, and doubts those for longer after a refusal. */
export function limitsOf(settings: GivenSettings): Partial<QuotaLimits> {
  return settings.limits?.source === 'default' ? {} : readSetting(settings, 'limits')
}

/** The base URL of a service as a person types it: `localhost:4884`, in quotes, with `/api` at the end. */
export function readServiceAddress(text: string): string {
  const address = withScheme(withoutQuotes(text).trim())
  return parseBaseUrl(withoutTrailingSlashes(address).replace(/\/api$/, ''), true)
}

/** Adds the scheme to a host: it has a dot, a port or brackets, or is this machine. Any other text may be a key in the wrong place. */
function withScheme(text: string): string {
  const [host = ''] = text.split(/[/?#]/, 1)
  if (text.includes('://') || !(/\.|:\d|^\[/.test(host) || isLoopback(host))) return text
  return `${isLoopback(URL.parse(`http://${host}`)?.hostname ?? '') ? 'http' : 'https'}://${text}`
}
