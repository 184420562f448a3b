import { type Command, Option } from 'commander'
import type { ColorChoice } from '../output/terminal/terminal.ts'

// Every start of fh loads this table; what the values mean is in settings.ts.

interface SettingDefinition {
  readonly flag?: {
    readonly value: string
    readonly help: string
    /** The heading above it in the help; undefined for a flag of `fh upload` alone. */
    readonly group?: string
  }
  /** The help of its variable. */
  readonly env?: string
  /** What an empty variable means. Default: the same as one that is not set. */
  readonly empty?: 'refused' | 'none'
  /** What it takes beside values of its kind. */
  readonly words?: readonly string[]
  readonly stored?: false
}

const account = 'Which account:'
const waiting = 'How long it waits:'
const connecting = 'How it connects:'

/** All settings of fh, in the order they are listed; a new one is an entry here and in settings.ts, and its use. */
export const settingDefinitions = {
  base_url: {
    flag: { value: '<url>', help: 'address of the service', group: account },
    env: 'address of the service',
  },
  // It may come from a secret that is missing, which must not mean another account.
  api_key: { env: 'API key; overrides a stored one', empty: 'refused' },
  api_key_file: { env: 'file with the API key', empty: 'refused', stored: false },
  key_command: {},
  timeout: { flag: { value: '<duration>', help: 'give up when nothing moves for this long (120s)', group: waiting } },
  max_wait: {
    flag: { value: '<duration>', help: 'longest wait for quota (1h; unlimited on a terminal)', group: waiting },
    words: ['unlimited'],
  },
  retries: { flag: { value: '<n>', help: 'repeats after network failures and 5xx only (5)', group: waiting } },
  limits: {
    flag: { value: '<limits>', help: 'quota to expect, such as minute=60,hour=1000, or none', group: waiting },
    env: 'same as --limits',
    words: ['none'],
  },
  max_file_size: {
    flag: { value: '<size>', help: 'largest file to send, none = any (200MB)' },
    env: 'same as --max-file-size of fh upload',
    words: ['none'],
  },
  ledger: { env: 'Redis where runners with this key count: redis://host', empty: 'none' },
  proxy: { flag: { value: '<url>', help: 'send requests through this HTTP proxy', group: connecting } },
  ca_cert: { flag: { value: '<file>', help: 'trust the certificate authorities in this PEM file', group: connecting } },
} as const satisfies Readonly<Record<string, SettingDefinition>>

export type SettingName = keyof typeof settingDefinitions

export const settingNames = Object.keys(settingDefinitions) as readonly SettingName[]

/** With the name of its variable, empty where it has none. */
export function definitionOf(name: SettingName): SettingDefinition & { readonly variable: string } {
  const definition: SettingDefinition = settingDefinitions[name]
  return { ...definition, variable: definition.env === undefined ? '' : `FH_${name.toUpperCase()}` }
}

/** What a flag gives for a setting. An option of one command, such as --api-key of `fh emulate`, sets none. */
export function flagGiven(name: SettingName, flags: GlobalFlags): string | undefined {
  const value = flags[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
  // `fh emulate` has a --max-file-size of its own, which is a number by now.
  return definitionOf(name).flag === undefined || value === undefined ? undefined : String(value)
}

export function longFlag(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`
}

export function chosenFormat({ json, jsonl }: GlobalFlags): 'json' | 'jsonl' | undefined {
  if (jsonl) return 'jsonl'
  return json ? 'json' : undefined
}

/** The flags of every command, as they were given. */
export interface GlobalFlags {
  readonly [name: string]: unknown
  readonly profile?: string
  readonly json?: boolean
  readonly jsonl?: boolean
  readonly fields?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly color?: ColorChoice
  readonly input?: boolean
  readonly insecureHttp?: boolean
}

/** Declares them on a command, or on a subcommand: they may stand before and after its name. */
export function addGlobalFlags(command: Command): void {
  const own = command.options.length
  command
    .optionsGroup('Which account:')
    .option('--profile <name>', 'use this profile of the config file')
    .optionsGroup('What is printed:')
    .option('--json', 'one JSON document')
    .addOption(new Option('--jsonl', 'JSON lines as items finish (upload, list, delete)').conflicts('json'))
    .option('--fields <a,b>', 'only these fields')
    .option('-q, --quiet', 'only data and errors')
    .option('-v, --verbose', 'more detail')
    .option('--debug', 'all requests and answers on stderr, the key redacted')
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']))
    .option('--no-input', 'never ask a question; fail instead')
  for (const name of settingNames) {
    const { flag } = definitionOf(name)
    if (flag?.group !== undefined) command.addOption(settingOption(name))
  }
  command
    .addOption(new Option('--no-wait', 'never wait for quota').implies({ maxWait: '0s' }).helpGroup(waiting))
    .addOption(new Option('--insecure-http', 'let the key travel unencrypted to another host').helpGroup(connecting))
  // `fh help flags` shows them, in place of the help of each command.
  for (const option of command.options.slice(own)) option.hideHelp()
}

export function settingOption(name: SettingName): Option {
  const { flag } = definitionOf(name)
  const option = new Option(`${longFlag(name)} ${flag?.value}`, flag?.help)
  return flag?.group === undefined ? option : option.helpGroup(flag.group)
}

/** The flags given to a command and to those above it; the flag nearest to the command wins. */
export function globalFlagsOf(command: Command): GlobalFlags {
  const above = command.parent === null ? {} : globalFlagsOf(command.parent)
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default')
  return { ...above, ...Object.fromEntries(given) }
}
