import { existsSync } from 'node:fs'
import type { Command, CommanderError } from 'commander'
import { shellWord } from '../../environment/shell-word.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { fileNames } from '../format/format.ts'
import { commandBelow, pathOf } from '../output/help-layout.ts'

/**
 * What is wrong with a command line, in commander's words; as hint its suggestion, or where to read on.
 * @param command the deepest that the command line names
 */
export function explainMisuse(error: CommanderError, argv: readonly string[], command: Command): CliError {
  const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n(')
  const near = suggestion?.replace(/\)$/, '')
  const [, flag] = /^unknown option '([^=']*)/.exec(sentence) ?? []
  if (flag !== undefined) {
    if (command.options.some(({ long }) => long === flag)) return usageError(`option '${flag}' takes no value`)
    // A value that is given to an unknown flag may be a key.
    return usageError(`unknown option '${flag}'`, hintOnFlag(flag, near, argv, command) ?? hintOnHelp(command))
  }
  const [, message = sentence, rule] = /^(.* is invalid(?: for argument '.*')?)\. (.*?)\.?$/s.exec(sentence) ?? []
  return usageError(message, hintOnFile(argv, command) ?? rule ?? near ?? hintOnHelp(command))
}

/** A word in the place of a command, or of a subcommand. */
export function unknownCommand(word: string, above: Command): CliError {
  return usageError(`unknown command '${word}'`, hintOnHelp(above))
}

/**
 * The upload that a command line of files without a command means, such as `fh photo.jpg`; undefined where it names no
 * file. A file that was uploaded once is public, so a person is asked first.
 */
export function uploadMeant(argv: readonly string[], program: Command) {
  const [first = ''] = program.args.filter((word) => !word.startsWith('-'))
  if (commandBelow(program, first) !== undefined || !existsSync(first)) return undefined
  const isFolder = (path: string) => existsSync(`${path}/.`)
  const named = program.args.filter((path) => existsSync(path))
  const needsFlag = named.some(isFolder) && !argv.some((word) => /^(-\w*r\w*|--recursive)$/.test(word))
  const words = ['upload', ...(needsFlag ? ['-r'] : []), ...argv]
  const what = named.length > 1 ? fileNames(named) : `${isFolder(first) ? 'the folder ' : ''}${fileNames(named)}`
  const meant = words.map((word) => shellWord(word)).join(' ')
  return {
    words,
    question: `Upload ${what}? [Y/n] `,
    refusal: usageError(`unknown command '${first}'`, hints.didYouMean(`fh ${meant}`)),
  }
}

function hintOnFlag(
  flag: string,
  near: string | undefined,
  argv: readonly string[],
  command: Command,
): string | undefined {
  if (/^--?(api[-_]?key|key|token)$/.test(flag)) {
    return hints.secretKey
  }
  const takesSlugs = command.registeredArguments.some((argument) => argument.name().startsWith('slug'))
  const isSlug = takesSlugs && /^-(?!-[a-z-]+$)[\w-]{3}/.test(flag)
  return hintOnFile(argv, command) ?? near ?? (isSlug ? hints.didYouMean(`${pathOf(command)} -- ${flag}`) : undefined)
}

/** A file whose name begins with a dash was taken for a flag. */
function hintOnFile(argv: readonly string[], command: Command): string | undefined {
  if (command.name() !== 'upload') return undefined
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const file = words.find((word) => /^-./.test(word) && existsSync(word))
  return file && hints.didYouMean(`fh upload -- ${shellWord(file)}`)
}

function hintOnHelp(command: Command): string {
  return command.parent === null ? hints.commands : hints.help(pathOf(command).replace(/^fh /, ''))
}
