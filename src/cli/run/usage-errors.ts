import { existsSync } from 'node:fs'
import type { Command, CommanderError } from 'commander'
import { shellWord } from '../../environment/shell-word.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { didYouMean, meantCommand, meantFlag } from '../failures/did-you-mean.ts'
import { fileNames } from '../format/format.ts'
import { argumentsAmong, commandBelow, namedCommand, takesSlugs } from '../input/command-words.ts'
import { fieldsHint, unknownField } from '../output/fields.ts'
import { pathOf } from '../output/help-layout.ts'
import { firstCommand } from './catalog.ts'

interface Explanation {
  readonly message: string
  readonly hint?: string
}

/** What fh prints in place of each sentence of commander. */
const explanations: readonly (readonly [sentence: RegExp, explain: (...found: readonly string[]) => Explanation])[] = [
  [/^unknown option '(.*?)(?:=.*)?'$/s, (word) => ({ message: `Unknown flag: ${word}` })],
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
    /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+): .*\.$/s,
    (command, most, given) => ({ message: `Too many arguments: ${command} takes ${most}, but got ${given}` }),
  ],
]

/** What is wrong with a command line, and as hint the nearest command, flag or value, or where to read on. */
export function explainMisuse(error: CommanderError, argv: readonly string[], program: Command): CliError {
  const sentence = error.message.replace(/^error: /, '')
  const { message, hint } = explainSentence(sentence)
  const file = hintOnFile(argv)
  if (file !== undefined) return usageError(message, file)
  const { command } = namedCommand(argv, program)
  const elsewhere = hint || hintOnHelp(command)
  const [, kind, word = ''] = /^unknown (command|option) '(.*)'$/s.exec(sentence) ?? []
  if (kind === 'command') return unknownCommand(word, command)
  if (kind === 'option') {
    const flag = word.replace(/=.*$/s, '')
    const names = ['help', ...command.options.flatMap(({ long }) => (long ? [long.slice(2)] : []))]
    if (names.includes(flag.slice(2))) return usageError(`${flag} takes no value`, `Give ${flag} alone`)
    const isSlug = takesSlugs(command) && /^-(?!-[a-z-]+$)[\w-]{3}/.test(flag)
    const onSlug = isSlug ? `For an upload of that slug: ${pathOf(command)} -- ${flag}` : undefined
    return usageError(message, meantFlag(flag.replace(/^-+/, ''), names) ?? onSlug ?? elsewhere)
  }
  return usageError(message, elsewhere)
}

/** A word in the place of a command, or of a subcommand. */
export function unknownCommand(word: string, above: Command): CliError {
  const isFirst = above.parent === null
  const near = isFirst ? meantCommand : didYouMean
  const names = above.commands.flatMap((command) => [command.name(), ...command.aliases()])
  return usageError(`Unknown command: ${word}`, near(word, names, hintOnHelp(above)))
}

/**
 * The upload that a command line of files without a command means, such as `fh photo.jpg`; undefined where it names no
 * file. A file that was uploaded once is public, so a person is asked first.
 */
export function uploadMeant(argv: readonly string[], program: Command) {
  const paths = argumentsAmong(argv, program)
  const [first = ''] = paths
  if (commandBelow(program, first) !== undefined || !existsSync(first)) return undefined
  const isFolder = (path: string) => existsSync(`${path}/.`)
  const named = paths.filter((path) => existsSync(path))
  const needsFlag = named.some(isFolder) && !argv.some((word) => /^(-\w*r\w*|--recursive)$/.test(word))
  const words = ['upload', ...(needsFlag ? ['-r'] : []), ...argv]
  const what = named.length > 1 ? fileNames(named) : `${isFolder(first) ? 'the folder ' : ''}${fileNames(named)}`
  return {
    words,
    question: `Upload ${what}? [Y/n] `,
    refusal: usageError(
      `Unknown command: ${first}`,
      `Did you mean fh ${words.map((word) => shellWord(word)).join(' ')}?`,
    ),
  }
}

/** A word of --fields that names no field. */
export function unknownFieldError(wrong: string, known: readonly string[]): CliError {
  return unknownField(wrong, didYouMean(wrong, known, fieldsHint(known)))
}

function explainSentence(text: string): Explanation {
  for (const [sentence, explain] of explanations) {
    const found = sentence.exec(text)
    if (found !== null) return explain(...found.slice(1))
  }
  return { message: text }
}

function invalid(place = '', value = '', rule = ''): Explanation {
  const [, choices] = /^Allowed choices are (.*)\.$/.exec(rule) ?? []
  const hint = choices && didYouMean(value, choices.split(', '), `Use one of ${choices}`)
  return { message: `${place}: ${JSON.stringify(value)} is not valid`, hint: hint ?? rule.replace(/\.$/, '') }
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
  const [name, entry] = firstCommand(words) ?? []
  if (!entry?.takesFiles) return undefined
  const file = words.find((word) => /^-./.test(word) && existsSync(word))
  return file && `For a file of that name: fh ${name} -- ${shellWord(file)}`
}

function hintOnHelp(command: Command): string {
  if (command.parent === null) return 'fh help lists the commands, fh help flags the flags of all of them'
  return `fh help ${pathOf(command).replace(/^fh /, '')} lists its arguments and flags`
}
