import { type Command, Option } from 'commander'
import type { ColorChoice } from '../output/terminal/terminal.ts'
import {
  connecting,
  definitionOf,
  longFlag,
  type SettingFlags,
  type SettingName,
  settingNames,
  waiting,
} from './setting-definitions.ts'

/** The formats for programs, by the name of their flag; without a flag a run prints text. */
export interface FormatFlags {
  /** One document. */
  readonly json?: boolean
  /** A line for each item as it ends. */
  readonly jsonl?: boolean
}

/** The format that is asked for; undefined for text. Both at once are refused. */
export function chosenFormat({ json, jsonl }: FormatFlags): keyof FormatFlags | undefined {
  if (jsonl) return 'jsonl'
  return json ? 'json' : undefined
}

/** The flags of every command, as they were given. */
export interface GlobalFlags extends SettingFlags, FormatFlags {
  readonly profile?: string
  readonly fields?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly color?: ColorChoice
  readonly input?: boolean
  readonly wait?: boolean
  readonly insecureHttp?: boolean
  /** False with --no-journal, which only `fh upload` has. */
  readonly journal?: boolean
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
  for (const name of settingNames) addSettingOptions(command, name)
  command.addOption(
    new Option('--insecure-http', 'let the key travel unencrypted to another host').helpGroup(connecting),
  )
  // `fh help flags` shows them, in place of the help of each command.
  for (const option of command.options.slice(own)) option.hideHelp()
}

function addSettingOptions(command: Command, name: SettingName): void {
  const { flag } = definitionOf(name)
  if (flag === undefined || flag.only) return
  command.addOption(settingOption(name))
  if (name === 'max_wait') command.addOption(new Option('--no-wait', 'never wait for quota').helpGroup(waiting))
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
