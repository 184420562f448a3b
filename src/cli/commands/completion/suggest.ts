import type { Command, Option } from 'commander'
import { commandBelow, takesSlugs } from '../../input/command-words.ts'
import { valueListOf } from '../../input/flag-values.ts'

export interface Suggestion {
  readonly value: string
  /** May be empty. */
  readonly description: string
}

/** The possible next words; files and folders are left to the shell. */
export type Suggestions = 'files' | 'folders' | readonly Suggestion[]

/** Values that depend on the user; each is read only when needed. */
export interface SuggestionSources {
  profiles(): readonly string[]
  /** The values of `--fields` for a command. */
  fields(command: string): readonly string[]
  /** The settings that a subcommand of `fh config` takes. */
  settings(subcommand: string): readonly string[]
  /** The values of a setting. */
  settingValues(setting: string): Suggestions
  topics(): readonly Suggestion[]
}

/**
 * Suggests the last word of a command line. The name of a placeholder in the help decides what is suggested for it,
 * unless the flag has choices or a list of its own.
 *
 * @param program the whole program, with the flags of the commands in `words`
 * @param words the words so far; the last is the incomplete word, maybe empty
 */
export async function suggest(
  program: Command,
  words: readonly string[],
  sources: SuggestionSources,
): Promise<Suggestions> {
  const current = words.at(-1) ?? ''
  const place = placeAfter(program, words.slice(0, -1))
  const { command, option, ended } = place
  if (option !== undefined) return matching(current, await valuesOfFlag(option, command, current, sources))
  const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = ended ? undefined : findOption(command, name)
  if (assigned !== undefined) {
    const found = matching(value, await valuesOfFlag(assigned, command, value, sources))
    if (typeof found === 'string') return found
    return found.map((suggestion) => ({ ...suggestion, value: `${name}=${suggestion.value}` }))
  }
  if (!ended && current.startsWith('-')) return matching(current, [...flagsOf(command), ...endOfFlags(command)])
  return matching(current, argumentsOf(place, current, sources))
}

/** @param current the incomplete word */
function matching(current: string, suggestions: Suggestions): Suggestions {
  return typeof suggestions === 'string' ? suggestions : suggestions.filter(({ value }) => value.startsWith(current))
}

async function valuesOfFlag(
  option: Option,
  command: Command,
  current: string,
  sources: SuggestionSources,
): Promise<Suggestions> {
  const list = option.argChoices ?? (await valueListOf(option)?.(current))
  if (list !== undefined) return plain(list)
  if (option.long === '--profile') return plain(sources.profiles())
  return valuesOf(/<(.*)>/.exec(option.flags)?.[1] ?? '', command, current, sources)
}

/** Subcommands, else values of the next argument. */
function argumentsOf(place: LinePlace, current: string, sources: SuggestionSources): Suggestions {
  const { command, positionals, ended } = place
  const children = positionals.length === 0 && !ended ? subcommandsOf(command) : []
  if (children.length > 0) return children
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[positionals.length] ?? (last?.variadic ? last : undefined)
  if (argument === undefined) return []
  if (argument.argChoices !== undefined) return plain(argument.argChoices)
  if (argument.name() === 'topic') return topicsAfter(place, sources)
  if (command.name() === 'set' && argument.name() === 'value') return sources.settingValues(positionals[0] ?? '')
  return valuesOf(argument.name(), command, current, sources)
}

/** After `fh help config`: the subcommands of config. */
function topicsAfter({ command: help, positionals }: LinePlace, sources: SuggestionSources): readonly Suggestion[] {
  if (positionals.length === 0) return sources.topics()
  let command = help.parent ?? undefined
  for (const word of positionals) command = command && commandBelow(command, word)
  return command === undefined ? [] : subcommandsOf(command)
}

interface LinePlace {
  readonly command: Command
  /** The flag that expects a value next. */
  readonly option: Option | undefined
  /** The arguments so far. */
  readonly positionals: readonly string[]
  /** Whether `--` has ended the flags. */
  readonly ended: boolean
}

function placeAfter(program: Command, words: readonly string[]): LinePlace {
  let place: LinePlace = { command: program, option: undefined, positionals: [], ended: false }
  for (const word of words) place = next(place, word)
  return place
}

function next(place: LinePlace, word: string): LinePlace {
  const { command, option, positionals, ended } = place
  if (option !== undefined) return { ...place, option: undefined }
  if (ended) return { ...place, positionals: [...positionals, word] }
  if (word === '--') return { ...place, ended: true }
  if (/^-./.test(word)) {
    const found = findOption(command, word)
    return { ...place, option: found?.required ? found : undefined }
  }
  const child = positionals.length === 0 ? commandBelow(command, word) : undefined
  return child === undefined ? { ...place, positionals: [...positionals, word] } : { ...place, command: child }
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word !== '' && (long === word || short === word))
}

const helpFlag = { long: '--help', short: '-h', description: 'show this help' }

function flagsOf(command: Command): readonly Suggestion[] {
  const options = [...command.options, helpFlag]
  return options.flatMap(({ long, short, description }) =>
    [long, short].flatMap((value) => (value ? [{ value, description }] : [])),
  )
}

/** A slug may begin with a dash; after `--` it is not taken for a flag. */
function endOfFlags(command: Command): readonly Suggestion[] {
  return takesSlugs(command) ? [{ value: '--', description: 'slugs follow, even if they begin with a dash' }] : []
}

function subcommandsOf(command: Command): readonly Suggestion[] {
  const visible = command.createHelp().visibleCommands(command)
  return visible.flatMap((child) =>
    [child.name(), ...child.aliases()].map((value) => ({ value, description: child.summary() || child.description() })),
  )
}

const methods = ['GET', 'POST', 'DELETE', 'HEAD', 'PUT', 'PATCH']
const paths = ['/api/stats', '/api/uploads', '/api/upload']

function valuesOf(placeholder: string, command: Command, current: string, sources: SuggestionSources): Suggestions {
  switch (placeholder) {
    case 'path':
      return command.name() === 'api' ? plain([...paths, ...methods]) : 'files'
    case 'file':
    case 'command':
      return 'files'
    case 'folder':
      return 'folders'
    case 'profile':
      return plain(sources.profiles())
    case 'setting':
      return plain(sources.settings(command.name()))
    case 'method':
      return plain(methods)
    case 'a,b':
      return listed(current, sources.fields(topName(command)))
    default:
      return []
  }
}

/** Suggests a further field after the last comma. */
function listed(current: string, names: readonly string[]): Suggestions {
  const before = current.slice(0, current.lastIndexOf(',') + 1)
  const rest = names.filter((name) => !before.split(',').includes(name))
  return plain(rest.map((name) => `${before}${name}`))
}

function topName(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : topName(parent)
}

function plain(values: readonly string[]): readonly Suggestion[] {
  return values.map((value) => ({ value, description: '' }))
}
