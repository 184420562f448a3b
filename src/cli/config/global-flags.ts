import { type Command, Option } from 'commander'
import { completedBy } from '../input/flag-values.ts'
import type { Reporter } from '../output/events.ts'
import { sharedFlags } from '../output/help-layout.ts'
import type { JsonReporterOptions } from '../output/json.ts'
import type { ColorChoice } from '../output/terminal/terminal.ts'
import {
  connecting,
  definitionOf,
  longFlag,
  type SettingFlags,
  type SettingName,
  settingNames,
} from './setting-definitions.ts'

interface OutputFormat {
  readonly help: string
  /** Whether a command can print it. @param entry `lines`: whether it prints its items one by one */
  canPrint(entry: { readonly lines: boolean }, command: string): boolean
  /** Loads the code of the format first: most runs print text. */
  createReporter(options: Omit<JsonReporterOptions, 'lines'>): Promise<Reporter>
}

/** The formats for programs, by the name of their flag; without a flag a run prints text. */
const outputFormats = {
  json: {
    help: 'one JSON document',
    canPrint: () => true,
    createReporter: (options) => loadJson({ ...options, lines: false }),
  },
  jsonl: {
    help: 'JSON lines as items finish (upload, list, delete)',
    canPrint: ({ lines }) => lines,
    createReporter: (options) => loadJson({ ...options, lines: true }),
  },
} as const satisfies Readonly<Record<string, OutputFormat>>

type FormatName = keyof typeof outputFormats

export type FormatFlags = { readonly [Name in FormatName]?: boolean }

export const formatNames = Object.keys(outputFormats) as readonly FormatName[]

export function formatOf(name: FormatName): OutputFormat {
  return outputFormats[name]
}

/** The name of the format that is asked for; undefined for text. Of two, which are refused, the later in the table. */
export function chosenFormat(flags: FormatFlags): FormatName | undefined {
  return formatNames.findLast((name) => flags[name])
}

/** The format that the words of a command line ask for, where the rest of it may be wrong. */
export function formatAmong(words: readonly string[]): FormatFlags {
  return Object.fromEntries(formatNames.map((name) => [name, words.includes(`--${name}`)]))
}

async function loadJson(options: JsonReporterOptions): Promise<Reporter> {
  const { createJsonReporter } = await import('../output/json.ts')
  return createJsonReporter(options)
}

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

/** Declares them on a command, or on a subcommand: they may stand before and after its name. */
export function addGlobalFlags(command: Command): void {
  const own = command.options.length
  command
    .optionsGroup('Which account:')
    .option('--profile <name>', 'use this profile of the config file')
    .optionsGroup('What is printed:')
  addFormatOptions(command)
  command
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
  for (const option of command.options.slice(own)) sharedFlags.add(option)
}

function addSettingOptions(command: Command, name: SettingName): void {
  const { flag } = definitionOf(name)
  if (flag === undefined || flag.only) return
  command.addOption(settingOption(name))
  if (flag.shortcut) command.addOption(new Option(flag.shortcut.flag, flag.shortcut.help).helpGroup(flag.group ?? ''))
}

/** The flag of a setting that has one. */
export function settingOption(name: SettingName): Option {
  const { flag, words } = definitionOf(name)
  const option = new Option(`${longFlag(name)} ${flag?.value}`, flag?.help)
  if (words !== undefined) completedBy(option, () => words)
  return flag?.group === undefined ? option : option.helpGroup(flag.group)
}

function addFormatOptions(command: Command): void {
  for (const [index, name] of formatNames.entries()) {
    command.addOption(new Option(`--${name}`, formatOf(name).help).conflicts(formatNames.slice(0, index)))
  }
}

/** The flags given to a command and to those above it; the flag nearest to the command wins. */
export function globalFlagsOf(command: Command): GlobalFlags {
  const above = command.parent === null ? {} : globalFlagsOf(command.parent)
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== 'default')
  return { ...above, ...Object.fromEntries(given) }
}
