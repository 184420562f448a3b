import { existsSync } from 'node:fs'
import type { Command, CommanderError } from 'commander'
import { shellWord } from '../../environment/shell-word.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { flagAlike, takesSlugs } from '../input/dash-slugs.ts'
import { catalog } from './catalog.ts'

interface Explanation {
  readonly message: string
  readonly hint?: string
}

/** What fh prints in place of each sentence of commander. */
const explanations: readonly (readonly [sentence: RegExp, explain: (...found: readonly string[]) => Explanation])[] = [
  [/^unknown command '(.*)'$/s, (word) => ({ message: `Unknown command: ${word}` })],
  [/^unknown option '(.*)'$/s, (word) => ({ message: `Unknown flag: ${word}` })],
  [/^missing required argument '(.*)'$/, (name) => ({ message: `Missing argument: ${name}` })],
  [/^option '(.*)' argument missing$/, (flags) => ({ message: `Missing value: ${withoutShort(flags)}` })],
  [/^option '(.*?)' argument '(.*)' is invalid\. (.*)$/s, (flags, value, rule) => invalid(nameOf(flags), value, rule)],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/s,
    (value, name, rule) => invalid(name, value, rule),
  ],
  [
    /^option '(.*)' cannot be used with option '(.*)'$/,
    (one, other) => ({ message: `${nameOf(one)} cannot be used with ${nameOf(other)}` }),
  ],
  [
    /^too many arguments for '(.*)'\. Expected (\d+) .* got (\d+)\.$/,
    (command, most, given) => ({ message: `Too many arguments: ${command} takes ${most}, but got ${given}` }),
  ],
]

/** What is wrong with a command line, and as hint the nearest command or flag, or where to read on. */
export function explainMisuse(error: CommanderError, argv: readonly string[], program: Command): CliError {
  const [sentence = '', ...suggestions] = error.message.replace(/^error: /, '').split('\n(')
  const { message, hint } = explainSentence(sentence)
  const [, flag] = /^unknown option '(.*)'$/s.exec(sentence) ?? []
  const nearest = hintOnFile(argv) ?? suggestions.join(' ').replace(/\)$/, '')
  return usageError(message, nearest || hint || (flag && hintOnSlug(flag, argv, program)) || hintOnHelp(argv, program))
}

function explainSentence(text: string): Explanation {
  for (const [sentence, explain] of explanations) {
    const found = sentence.exec(text)
    if (found !== null) return explain(...found.slice(1))
  }
  return { message: text }
}

function invalid(place = '', value = '', rule = ''): Explanation {
  const hint = rule.replace(/^Allowed choices are/, 'Use one of').replace(/\.$/, '')
  return { message: `${place}: ${JSON.stringify(value)} is not valid`, hint }
}

/** `--page <n>` of `-p, --page <n>`. */
function withoutShort(flags = ''): string {
  return flags.replace(/^-\w, /, '')
}

function nameOf(flags = ''): string {
  return withoutShort(flags).replace(/ .*$/, '')
}

/** A file whose name begins with a dash was taken for a flag. */
function hintOnFile(argv: readonly string[]): string | undefined {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const [name] =
    Object.entries(catalog).find(([command, { takesFiles }]) => takesFiles && words.includes(command)) ?? []
  const file = words.find((word) => /^-./.test(word) && existsSync(word))
  return name && file && `For a file of that name: fh ${name} -- ${shellWord(file)}`
}

/** The flag is another one misspelt, or the slug of an upload. */
function hintOnSlug(word: string, argv: readonly string[], program: Command): string | undefined {
  const command = program.commands.find((candidate) => argv.includes(candidate.name()) && takesSlugs(candidate))
  const flag = command && flagAlike(word, command)
  if (flag) return `The flag is written ${flag.long}`
  return command && `For an upload of that slug: fh ${command.name()} -- ${word}`
}

function hintOnHelp(argv: readonly string[], program: Command): string {
  const name = argv.find((word) => Object.hasOwn(catalog, word))
  if (name === undefined) return 'fh help explains commands and flags'
  const below = program.commands.find((command) => command.name() === name)?.commands ?? []
  const inner = argv.find((word) => below.some((command) => command.name() === word))
  return `fh help ${inner === undefined ? name : `${name} ${inner}`} lists its arguments and flags`
}
