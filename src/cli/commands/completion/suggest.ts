import type { Argument, Command, Option } from 'commander'
import { definitionOf, type SettingName, settingNames } from '../../config/setting-definitions.ts'
import { commandBelow, takesSlugs, valueListOf } from '../../input/command-words.ts'
import { helpTopics, type ProgramDescription } from '../../output/help-layout.ts'

export interface Suggestion {
  readonly value: string
  /** May be empty. */
  readonly description: string
}

/** The possible next words; files, those that can be uploaded, and folders are left to the shell. */
export type Suggestions = 'files' | 'media' | 'folders' | readonly Suggestion[]

/** What this machine knows. */
export interface Known {
  /** The names of the stored profiles. */
  profiles(): readonly string[]
  /** The uploads that were made from here. */
  uploads(): Promise<readonly Suggestion[]>
}

/**
 * Suggests the last word of a command line. The name of a placeholder in the help decides what is suggested for it,
 * unless the flag has choices or a list of its own.
 *
 * @param description the whole program, with the flags of the commands in `words`
 * @param words the words so far; the last is the incomplete word, maybe empty
 */
export async function suggest(
  { program, fieldsOf }: ProgramDescription,
  words: readonly string[],
  known: Known,
): Promise<Suggestions> {
  const current = words.at(-1) ?? ''
  const place = placeAfter(program, words.slice(0, -1))
  const { command, option, positionals, ended } = place

  async function valuesOfFlag(flag: Option, typed: string): Promise<Suggestions> {
    const list = flag.argChoices ?? (await valueListOf(flag)?.(typed))
    if (list !== undefined) return matching(typed, plain(list))
    const placeholder = flag.long === '--profile' ? 'profile' : /<(.*)>/.exec(flag.flags)?.[1]
    return matching(typed, await valuesOf(placeholder ?? '', typed))
  }

  async function valuesOfArgument(argument: Argument | undefined): Promise<Suggestions> {
    const name = argument?.name() ?? ''
    if (argument?.argChoices !== undefined) return plain(argument.argChoices)
    if (name === 'topic') return topicsBelow(program, positionals)
    if (command.name() === 'set' && name === 'value') return settingValues(positionals[0] ?? '')
    return await valuesOf(name, current)
  }

  async function valuesOf(placeholder: string, typed: string): Promise<Suggestions> {
    switch (placeholder) {
      case 'path':
        if (command.name() === 'api') return plain([...paths, ...methods])
        return words.includes('--any-type') ? 'files' : 'media'
      case 'slug|url':
        return await known.uploads()
      case 'file':
      case 'command':
        return 'files'
      case 'folder':
        return 'folders'
      case 'profile':
        return plain(known.profiles())
      case 'setting':
        return plain(settingNames.filter((name) => command.name() === 'get' || isSettable(name)))
      case 'method':
        return plain(methods)
      case 'a,b':
        return listed(typed, fieldsOf(topName(command)))
      default:
        return []
    }
  }

  if (option !== undefined) return await valuesOfFlag(option, current)
  const [, name = '', value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  const assigned = ended ? undefined : findOption(command, name)
  if (assigned !== undefined) {
    const found = await valuesOfFlag(assigned, value)
    return typeof found === 'string' ? found : found.map((one) => ({ ...one, value: `${name}=${one.value}` }))
  }
  if (!ended && current.startsWith('-')) return matching(current, [...flagsOf(command), ...endOfFlags(command)])
  const children = positionals.length === 0 && !ended ? subcommandsOf(command) : []
  return matching(current, children.length > 0 ? children : await valuesOfArgument(nextArgument(place)))
}

function nextArgument({ command: { registeredArguments }, positionals }: LinePlace): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[positionals.length] ?? (last?.variadic ? last : undefined)
}

/** @param current the incomplete word */
function matching(current: string, suggestions: Suggestions): Suggestions {
  return typeof suggestions === 'string' ? suggestions : suggestions.filter(({ value }) => value.startsWith(current))
}

/** The topics of `fh help`; after `fh help config` the subcommands of config. */
function topicsBelow(program: Command, words: readonly string[]): readonly Suggestion[] {
  let command: Command | undefined = program
  for (const word of words) command = command && commandBelow(command, word)
  if (command === undefined) return []
  const topics = helpTopics.map(({ name, summary }) => ({ value: name, description: summary }))
  return [...subcommandsOf(command), ...(words.length === 0 ? topics : [])]
}

function isSettable(name: SettingName): boolean {
  const { stored, secret } = definitionOf(name)
  return stored === true && !secret
}

function settingValues(setting: string): Suggestions {
  const name = settingNames.find((candidate) => candidate === setting.replaceAll('-', '_'))
  const { flag, words = [] } = name === undefined ? {} : definitionOf(name)
  return flag?.value === '<file>' ? 'files' : plain(words)
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
