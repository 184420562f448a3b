// Every start of fh loads this table; what the values mean is in settings.ts.

interface SettingDefinition {
  /** The flag is the name with dashes: `--base-url` for `base_url`. */
  readonly flag?: {
    /** As help writes the value: `<url>`. */
    readonly value: string
    readonly help: string
    /** The heading above it in the help; without one that of the command. */
    readonly group?: string
    /** Set where one command has the flag; all commands have the others. */
    readonly only?: 'upload'
  }
  readonly env?: {
    readonly name: string
    readonly help: string
    /** What an empty variable means. Default: the same as one that is not set. */
    readonly empty?: 'refused' | 'none'
  }
  /** What it takes beside values of its kind. */
  readonly words?: readonly string[]
  readonly stored?: true
  readonly secret?: true
}

const account = 'Which account:'
export const waiting = 'How long it waits:'
export const connecting = 'How it connects:'

/** All settings of fh, in the order they are listed; a new one is an entry here and in settings.ts, and its use. */
export const settingDefinitions = {
  base_url: {
    flag: { value: '<url>', help: 'address of the service', group: account },
    env: { name: 'FH_BASE_URL', help: 'address of the service' },
    stored: true,
  },
  api_key: {
    // It may come from a secret that is missing, which must not mean another account.
    env: { name: 'FH_API_KEY', help: 'API key; overrides a stored one', empty: 'refused' },
    stored: true,
    secret: true,
  },
  api_key_file: { env: { name: 'FH_API_KEY_FILE', help: 'file with the API key', empty: 'refused' } },
  key_command: { stored: true },
  timeout: {
    flag: { value: '<duration>', help: 'give up when nothing moves for this long (120s)', group: waiting },
    stored: true,
  },
  max_wait: {
    flag: { value: '<duration>', help: 'longest wait for quota (1h; unlimited on a terminal)', group: waiting },
    stored: true,
    words: ['unlimited'],
  },
  retries: {
    flag: { value: '<n>', help: 'repeats after network failures and 5xx only (5)', group: waiting },
    stored: true,
  },
  limits: {
    flag: { value: '<limits>', help: 'quota to expect, such as minute=60,hour=1000, or none', group: waiting },
    env: { name: 'FH_LIMITS', help: 'same as --limits' },
    words: ['none'],
    stored: true,
  },
  max_file_size: {
    flag: { value: '<size>', help: 'largest file to send, none = any (200MB)', only: 'upload' },
    env: { name: 'FH_MAX_FILE_SIZE', help: 'same as --max-file-size of fh upload' },
    words: ['none'],
    stored: true,
  },
  ledger: {
    env: { name: 'FH_LEDGER', help: 'Redis where runners with this key count: redis://host', empty: 'none' },
    stored: true,
  },
  proxy: {
    flag: { value: '<url>', help: 'send requests through this HTTP proxy', group: connecting },
    stored: true,
  },
  ca_cert: {
    flag: { value: '<file>', help: 'trust the certificate authorities in this PEM file', group: connecting },
    stored: true,
  },
} as const satisfies Readonly<Record<string, SettingDefinition>>

export type SettingName = keyof typeof settingDefinitions

export const settingNames = Object.keys(settingDefinitions) as readonly SettingName[]

type CamelCase<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text

/** The settings that flags give, as commander names them. */
export type SettingFlags = { readonly [Name in SettingName as CamelCase<Name>]?: string }

export function definitionOf(name: SettingName): SettingDefinition {
  return settingDefinitions[name]
}

/** What a flag gives for a setting, and the name of that flag. */
export function flagGiven(
  name: SettingName,
  flags: SettingFlags & { readonly wait?: boolean },
): { readonly flag: string; readonly value: string } | undefined {
  const { flag } = definitionOf(name)
  // A command may have an option of the same name, such as --api-key of `fh emulate`; it does not set the setting.
  if (flag === undefined) return undefined
  if (name === 'max_wait' && flags.wait === false) return { flag: '--no-wait', value: '0s' }
  const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const value: unknown = Reflect.get(flags, key)
  // `fh emulate` has a --max-file-size of its own, which is a number by now.
  return value === undefined ? undefined : { flag: longFlag(name), value: String(value) }
}

export function longFlag(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`
}
