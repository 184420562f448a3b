import type { Command, Option } from 'commander'
import type { Suggestion } from '../../completion/slug-cache.ts'
import { commandBelow, takesSlugs } from '../../input/dash-slugs.ts'

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
  settings(): readonly string[]
  topics(): readonly Suggestion[]
}

/**
 * Suggests the last word of a command line. The name of a placeholder in the help decides what is suggested for it.
 *
 * @param program the whole program, with the flags of the commands in `words`
 * @param words the words so far; the last is the incomplete word, maybe empty
 */
export function suggest(program: Command, words: readonly string[], sources: SuggestionSources): Suggestions {
  const current = words.at(-1) ?? ''
  const place = placeAfter(program, words.slice(0, -1))
  const { command, option, ended } = place
  if (option !== undefined) return valuesOf(option.flags, option.argChoices, command, current, sources)
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = ended ? undefined : findOption(command, name)
  if (assigned !== undefined) {
    const found = valuesOf(assigned.flags, assigned.argChoices, command, value ?? '', sources)
    return found.type === 'words' ? prefixed(`${name}=`, found.words) : found
  }
  if (!ended && current.startsWith('-')) return matching(current, [...flagsOf(command), ...dashSlugs(command, sources)])
  return argumentsOf(place, current, sources)
}

/** Values of the next argument, and subcommands if there is no argument yet. */
function argumentsOf({ command, positionals, ended }: Place, current: string, sources: SuggestionSources): Suggestions {
  const children = positionals === 0 && !ended ? subcommandsOf(command) : []
  const last = command.registeredArguments.at(-1)
  const argument = command.registeredArguments[positionals] ?? (last?.variadic ? last : undefined)
  if (argument === undefined) return matching(current, children)
  const values = valuesOf(argument.name(), argument.argChoices, command, current, sources)
  return values.type === 'words' ? matching(current, [...children, ...values.words]) : values
}

interface Place {
  readonly command: Command
  /** The flag that expects a value next. */
  readonly option: Option | undefined
  /** The number of arguments so far. */
  readonly positionals: number
  /** Whether `--` has ended the flags. */
  readonly ended: boolean
}

function placeAfter(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, option: undefined, positionals: 0, ended: false }
  for (const word of words) place = next(place, word)
  return place
}

function next(place: Place, word: string): Place {
  const { command, option, positionals, ended } = place
  if (option !== undefined) return { ...place, option: undefined }
  if (ended) return { ...place, positionals: positionals + 1 }
  if (word === '--') return { ...place, ended: true }
  if (/^-./.test(word)) return { ...place, option: withValue(findOption(command, word)) }
  const child = positionals === 0 ? commandBelow(command, word) : undefined
  return child === undefined ? { ...place, positionals: positionals + 1 } : { ...place, command: child }
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

function valuesOf(
  flags: string,
  choices: readonly string[] | undefined,
  command: Command,
  current: string,
  sources: SuggestionSources,
): Suggestions {
  if (choices !== undefined) return matching(current, plain(choices))
  const placeholder = (/<(.*)>/.exec(flags)?.[1] ?? flags).replace(/\.\.\.$/, '')
  if (flags.startsWith('--profile ')) return matching(current, plain(sources.profiles()))
  switch (placeholder) {
    case 'path':
      return command.name() === 'api' ? matching(current, plain(paths)) : { type: 'files' }
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
      return matching(current, plain(sources.settings()))
    case 'topic':
      return matching(current, sources.topics())
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
