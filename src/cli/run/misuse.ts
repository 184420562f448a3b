import { existsSync } from 'node:fs'
import type { Command, CommanderError } from 'commander'
import { shellWord } from '../../environment/shell-word.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { fileNames } from '../format/format.ts'
import { commandBelow, pathOf } from '../output/help-layout.ts'

/** What is wrong with a command line, in commander's words; as hint its suggestion, or where to read on. */
export function explainMisuse(error: CommanderError, command: Command): CliError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  const help = command.parent === null ? hints.commands : hints.help(pathOf(command).replace(/^fh /, ''))
  const near = suggestion?.replace(/^\((.*)\)$/, '$1')
  const [, flag] = /^unknown option '([^=']*)/.exec(message) ?? []
  // What a login is given too many of may be a key.
  const isLogin = command.name() === 'login' && /^too many arguments/.test(message)
  if (isLogin) return usageError(message.replace(/: .*/s, ''), hints.secretKey)
  if (flag === undefined) return usageError(message, near ?? help)
  const isKey = /^--?(api[-_]?key|key|token)$/.test(flag)
  // A slug, or the name of a file, may begin with a dash.
  const isWord = /^-(?!-[a-z-]+$).{3}/.test(flag) && /^(slug|path)/.test(command.registeredArguments[0]?.name() ?? '')
  const meant = isWord ? hints.didYouMean(`${pathOf(command)} -- ${shellWord(flag)}`) : help
  // A value that is given to an unknown flag may be a key.
  return usageError(`unknown option '${flag}'`, isKey ? hints.secretKey : (near ?? meant))
}

/** What `fh photo.jpg` means; undefined where no file is named. What was uploaded once is public, so a person is asked first. */
export function uploadMeant(argv: readonly string[], program: Command) {
  const [first = ''] = program.args.filter((word) => !word.startsWith('-'))
  if (commandBelow(program, first) !== undefined || !existsSync(first)) return undefined
  const isFolder = (path: string) => existsSync(`${path}/.`)
  const named = program.args.filter((path) => existsSync(path))
  const needsFlag = named.some(isFolder) && !argv.some((word) => /^(-\w*r\w*|--recursive)$/.test(word))
  const words = ['upload', ...(needsFlag ? ['-r'] : []), ...argv]
  const meant = words.map((word) => shellWord(word)).join(' ')
  return {
    words,
    question: `Upload ${named.length === 1 && isFolder(first) ? 'the folder ' : ''}${fileNames(named)}? [Y/n] `,
    refusal: usageError(`unknown command '${first}'`, hints.didYouMean(`fh ${meant}`)),
  }
}
