import { type Command, Option } from 'commander'
import type { ColorChoice } from '../output/terminal/color.ts'
import { type FormatFlags, formatNames, formatOf } from './output-formats.ts'
import { definitionOf, longFlag, type SettingFlags, type SettingName, settingNames } from './setting-definitions.ts'

/** The flags of every command, as they were given. */
export interface GlobalFlags extends SettingFlags, FormatFlags {
  readonly profile?: string
  readonly fields?: string
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
  readonly color?: ColorChoice
  /** False with --no-input. */
  readonly input?: boolean
  /** False with --no-wait. */
  readonly wait?: boolean
  readonly insecureHttp?: boolean
  /** False with --no-journal, which only `fh upload` has. */
  readonly journal?: boolean
}

/** Help lists them below this. */
export const globalFlagsHeading = 'Flags of every command:'

/** Declares them on a command and its subcommands, so that they may stand before and after a subcommand's name. */
export function addGlobalFlags(command: Command): void {
  command
    .optionsGroup(globalFlagsHeading)
    .option('--profile <name>', 'use this profile of the config file')
    .addOption(settingOption('base_url'))
  addFormatOptions(command)
  command
    .option('--fields <a,b>', 'print only these fields')
    .option('-q, --quiet', 'print only data and errors')
    .option('-v, --verbose', 'show more detail')
    .option('--debug', 'print all HTTP requests and answers on stderr, the key redacted')
    .addOption(new Option('--color <when>', 'use colour').choices(['auto', 'always', 'never']))
    .option('--no-input', 'never ask; fail instead')
  for (const name of settingNames) if (name !== 'base_url') addSettingOptions(command, name)
  command.option('--insecure-http', 'allow the key to travel unencrypted to another host')
  for (const child of command.commands) addGlobalFlags(child)
}

function addSettingOptions(command: Command, name: SettingName): void {
  const { flag } = definitionOf(name)
  if (flag === undefined || flag.only) return
  command.addOption(settingOption(name))
  if (flag.shortcut) command.option(flag.shortcut.flag, flag.shortcut.help)
}

/** The flag of a setting that has one. */
export function settingOption(name: SettingName): Option {
  const { flag } = definitionOf(name)
  return new Option(`${longFlag(name)} ${flag?.value}`, flag?.help)
}

function addFormatOptions(command: Command): void {
  for (const [index, name] of formatNames.entries()) {
    command.addOption(new Option(`--${name}`, formatOf(name).help).conflicts(formatNames.slice(0, index)))
  }
}

/** Declares them without listing them: the help of every command does that. */
export function addHiddenGlobalFlags(program: Command): void {
  addGlobalFlags(program)
  for (const option of program.options) option.hideHelp(option.long !== '--version')
}

/** The flags given to a command and to those above it; the flag nearest to the command wins. */
export function globalFlagsOf(command: Command): GlobalFlags {
  const above = command.parent === null ? {} : globalFlagsOf(command.parent)
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default')
  return { ...above, ...Object.fromEntries(given) }
}
