import type { Command, Option } from 'commander'
import type { Suggestion } from '../../completion/slug-cache.ts'
import { commandBelow, takesSlugs } from '../../input/command-words.ts'
import { valueListOf } from '../../input/flag-values.ts'

/** The possible next words; files and folders are left to the shell. */
export type Suggestions =
  | { readonly type: 'files' }
  | { readonly type: 'folders' }
  | { readonly type: 'words'; readonly words: readonly Suggestion[] }

/** Values that depend on the user; each is read only when needed. */
export interface SuggestionSources {
  profiles(): readonly string[]
  slugs(): readonly Suggestion[]
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
  if (option !== undefined) return await valuesOfFlag(option, command, current, sources)
  const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = ended ? undefined : findOption(command, name)
  if (assigned !== undefined) {
    const found = await valuesOfFlag(assigned, command, value, sources)
    return found.type === 'words' ? prefixed(`${name}=`, found.words) : found
  }
  if (!ended && current.startsWith('-')) return matching(current, [...flagsOf(command), ...dashSlugs(command, sources)])
  return argumentsOf(place, current, sources)
}

async function valuesOfFlag(
  option: Option,
  command: Command,
  current: string,
  sources: SuggestionSources,
): Promise<Suggestions> {
  const list = option.argChoices ?? (await valueListOf(option)?.(current))
  if (list !== undefined) return matching(current, plain(list))
  if (option.long === '--profile') return matching(current, plain(sources.profiles()))
  return valuesOf(/<(.*)>/.exec(option.flags)?.[1] ?? '', command, current, sources)
}

/** Subcommands, else values of the next argument. */
function argumentsOf(place: LinePlace, current: string, sources: SuggestionSources): Suggestions {
  const { command, positionals, ended } = place
  const children = positionals.length === 0 && !ended ? subcommandsOf(command) : []
  if (children.length > 0) return matching(current, children)
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[positionals.length] ?? (last?.variadic ? last : undefined)
  if (argument === undefined) return ofWords([])
  if (argument.argChoices !== undefined) return matching(current, plain(argument.argChoices))
  if (argument.name() === 'topic') return matching(current, topicsAfter(place, sources))
  if (command.name() === 'set' && argument.name() === 'value') {
    const values = sources.settingValues(positionals[0] ?? '')
    return values.type === 'words' ? matching(current, values.words) : values
  }
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
  if (/^-./.test(word)) return { ...place, option: withValue(findOption(command, word)) }
  const child = positionals.length === 0 ? commandBelow(command, word) : undefined
  return child === undefined ? { ...place, positionals: [...positionals, word] } : { ...place, command: child }
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word !== '' && (long === word || short === word))
}

function withValue(option: Option | undefined): Option | undefined {
  return option?.required ? option : undefined
}

const helpFlag = { long: '--help', short: '-h', description: 'show this help' }

function flagsOf(command: Command): readonly Suggestion[] {
  const options = [...command.options, helpFlag]
  return options.flatMap(({ long, short, description }) =>
    [long, short].flatMap((value) => (value ? [{ value, description }] : [])),
  )
}

/** A slug may begin with a dash; after `--` it is not taken for a flag. */
function dashSlugs(command: Command, sources: SuggestionSources): readonly Suggestion[] {
  if (!takesSlugs(command)) return []
  return [{ value: '--', description: 'slugs follow, even if they begin with a dash' }, ...sources.slugs()]
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
      return command.name() === 'api' ? matching(current, plain([...paths, ...methods])) : { type: 'files' }
    case 'file':
    case 'command':
      return { type: 'files' }
    case 'folder':
      return { type: 'folders' }
    case 'slug|url':
      return matching(current, sources.slugs())
    case 'profile':
      return matching(current, plain(sources.profiles()))
    case 'setting':
      return matching(current, plain(sources.settings(command.name())))
    case 'method':
      return matching(current, plain(methods))
    case 'a,b':
      return listed(current, sources.fields(topName(command)))
    default:
      return ofWords([])
  }
}

/** Suggests a further field after the last comma. */
function listed(current: string, names: readonly string[]): Suggestions {
  const before = current.slice(0, current.lastIndexOf(',') + 1)
  const rest = names.filter((name) => !before.split(',').includes(name))
  return matching(current, plain(rest.map((name) => `${before}${name}`)))
}

function topName(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : topName(parent)
}

function matching(current: string, suggestions: readonly Suggestion[]): Suggestions {
  return ofWords(suggestions.filter(({ value }) => value.startsWith(current)))
}

function prefixed(prefix: string, suggestions: readonly Suggestion[]): Suggestions {
  return ofWords(suggestions.map((suggestion) => ({ ...suggestion, value: `${prefix}${suggestion.value}` })))
}

function plain(values: readonly string[]): readonly Suggestion[] {
  return values.map((value) => ({ value, description: '' }))
}

function ofWords(words: readonly Suggestion[]): Suggestions {
  return { type: 'words', words }
}
