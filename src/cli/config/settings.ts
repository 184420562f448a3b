import { defaultLimits, defaultMaxFileSizeBytes } from '../../index.ts'
import { usageError } from '../failures/cli-error.ts'
import { formatByteSize } from '../output/format/byte-size.ts'
import type { GlobalFlags } from './global-flags.ts'
import { formatQuotaLimits } from './quota-limits.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where a setting's value comes from. */
export type Origin =
  | { readonly type: 'flag'; readonly name: string }
  | { readonly type: 'env'; readonly name: string }
  | { readonly type: 'profile'; readonly name: string }
  | { readonly type: 'default' }

/** A value as it was written, and where. */
export interface Setting {
  readonly value: string
  readonly origin: Origin
}

interface Definition {
  readonly flag?: { readonly name: string; readonly value: (flags: GlobalFlags) => string | undefined }
  readonly env?: string
  /** Whether a profile may hold it. */
  readonly stored: boolean
  readonly secret?: boolean
  readonly summary: string
}

/** The settings there are, in the order they are listed. */
export const settingDefinitions = {
  base_url: {
    flag: { name: '--base-url', value: ({ baseUrl }) => baseUrl },
    env: 'FH_BASE_URL',
    stored: true,
    summary: 'address of the service',
  },
  api_key: { env: 'FH_API_KEY', stored: true, secret: true, summary: 'API key; stored by fh login' },
  api_key_file: { env: 'FH_API_KEY_FILE', stored: false, summary: 'file that holds the API key' },
  key_command: { stored: true, summary: 'command that prints the API key, where none is stored' },
  timeout: {
    flag: { name: '--timeout', value: ({ timeout }) => timeout },
    stored: true,
    summary: 'how long nothing may move on a connection',
  },
  max_wait: {
    flag: { name: '--max-wait', value: ({ maxWait }) => maxWait },
    stored: true,
    summary: 'longest wait for quota',
  },
  retries: {
    flag: { name: '--retries', value: ({ retries }) => retries },
    stored: true,
    summary: 'repeats after network failures and 5xx',
  },
  limits: {
    flag: { name: '--limits', value: ({ limits }) => limits },
    env: 'FH_LIMITS',
    stored: true,
    summary: 'units the service allows in each window; none = count nothing',
  },
  max_file_size: {
    flag: { name: '--max-file-size', value: ({ maxFileSize }) => maxFileSize?.toString() },
    env: 'FH_MAX_FILE_SIZE',
    stored: true,
    summary: 'largest file that is sent; none = the service judges',
  },
  proxy: { flag: { name: '--proxy', value: ({ proxy }) => proxy }, stored: true, summary: 'HTTP proxy' },
  ca_cert: {
    flag: { name: '--ca-cert', value: ({ caCert }) => caCert },
    stored: true,
    summary: 'PEM file of trusted certificate authorities',
  },
} as const satisfies Readonly<Record<string, Definition>>

export type SettingName = keyof typeof settingDefinitions

export const settingNames = Object.keys(settingDefinitions) as readonly SettingName[]

export function definitionOf(name: SettingName): Definition {
  return settingDefinitions[name]
}

/** What a profile of the config file holds. */
export type Profile = Readonly<Partial<Record<string, string>>>

export type Settings = Readonly<Partial<Record<SettingName, Setting>>>

export interface SettingSources {
  readonly flags: GlobalFlags
  readonly env: Environment
  readonly profile: Profile
  readonly profileName: string
  /** Whether a person watches: then waits for quota are unlimited. */
  readonly terminal: boolean
}

/** Picks every setting's value: flag, else environment, else profile, else default. Nothing is judged here. */
export function resolveSettings(sources: SettingSources): Settings {
  const entries = settingNames.flatMap((name) => {
    const setting = resolveSetting(name, sources)
    return setting === undefined ? [] : [[name, setting] as const]
  })
  return Object.fromEntries(entries)
}

function resolveSetting(name: SettingName, sources: SettingSources): Setting | undefined {
  const { flag, env, stored } = definitionOf(name)
  const { flags, profile, profileName } = sources
  if (name === 'max_wait' && flags.wait === false) return { value: '0s', origin: { type: 'flag', name: '--no-wait' } }
  const fromFlag = flag?.value(flags)
  if (flag !== undefined && fromFlag !== undefined) {
    return { value: fromFlag, origin: { type: 'flag', name: flag.name } }
  }
  // An empty variable is an unset one: that is how shells and CI files spell it.
  const fromEnv = env === undefined ? '' : (sources.env[env] ?? '')
  if (env !== undefined && fromEnv !== '') return { value: fromEnv, origin: { type: 'env', name: env } }
  const fromProfile = stored ? profile[name] : undefined
  if (fromProfile !== undefined) return { value: fromProfile, origin: { type: 'profile', name: profileName } }
  const fallback = defaultOf(name, sources.terminal)
  return fallback === undefined ? undefined : { value: fallback, origin: { type: 'default' } }
}

function defaultOf(name: SettingName, terminal: boolean): string | undefined {
  if (name === 'timeout') return '120s'
  if (name === 'retries') return '5'
  if (name === 'limits') return formatQuotaLimits(defaultLimits)
  if (name === 'max_file_size') return formatByteSize(defaultMaxFileSizeBytes).replace(' ', '')
  if (name === 'max_wait') return terminal ? 'unlimited' : '1h'
  return undefined
}

/** Which profile counts, and what there is to choose from. */
export interface ProfileInUse {
  readonly name: string
  /** The flag or the variable that names it; undefined where none does. */
  readonly place: string | undefined
  /** The names of all profiles that are stored. */
  known(): readonly string[]
  /** What is stored of this one. */
  stored(): Profile
}

/** The profile in use: --profile, else FH_PROFILE, else `default`. */
export function profileInUse(flags: GlobalFlags, env: Environment): Pick<ProfileInUse, 'name' | 'place'> {
  const place = flags.profile === undefined ? (env['FH_PROFILE'] ? 'FH_PROFILE' : undefined) : '--profile'
  const name = flags.profile ?? (env['FH_PROFILE'] || 'default')
  if (/^[\w.@-]{1,64}$/.test(name)) return { name, place }
  throw usageError(`${place}: ${JSON.stringify(name)} is no name of a profile`, 'Use letters, digits and . _ - @')
}

/** Whether a variable that is a switch is on: set, and neither empty, 0 nor false. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false)$/i.test(value)
}

/** As messages name it: `--timeout`, `FH_BASE_URL`, `profile work`. */
export function describeOrigin(origin: Origin): string {
  if (origin.type === 'default') return 'default'
  return origin.type === 'profile' ? `profile ${origin.name}` : origin.name
}
