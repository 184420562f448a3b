import { existsSync } from 'node:fs'
import type { Command, CommanderError } from 'commander'
import { shellWord } from '../../environment/shell-word.ts'
import type { Context } from '../context/context.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { fileNames } from '../format/format.ts'
import { commandBelow, pathOf } from '../output/help-layout.ts'

/** What is wrong with a command line, in commander's words; as hint its suggestion, or where to read on. */
export function explainMisuse({ message }: CommanderError, command: Command): CliError {
  const [wrong = '', suggestion] = message.replace(/^error: /, '').split('\n')
  const near = suggestion?.replace(/^\((.*)\)$/, '$1')
  const help = command.parent === null ? hints.commands : hints.help(pathOf(command).replace(/^fh /, ''))
  const [, flag, value] = /^unknown option '([^=']*)(=?)/.exec(wrong) ?? []
  // What a login is given may be a key, and so may the value of an unknown flag.
  if (/^too many .* 'login'/.test(wrong)) return usageError(wrong.replace(/: .*/s, ''), hints.secretKey)
  if (flag === undefined) return usageError(wrong, near ?? help)
  const isKey = /^--?(api[-_]?key|key|token)$/.test(flag)
  // A slug, or the name of a file, may begin with a dash.
  const isWord = /^-(?!-[a-z-]+$).{3}/.test(flag) && /^(slug|path)/.test(command.registeredArguments[0]?.name() ?? '')
  const meant = isWord ? hints.didYouMean(`${pathOf(command)} -- ${shellWord(flag)}`) : help
  const isThere = command.options.some(({ long }) => long === flag)
  if (isThere && value) return usageError(`option '${flag}' takes no value`, help)
  return usageError(`unknown option '${flag}'`, isKey ? hints.secretKey : (near ?? meant))
}

/** What `fh photo.jpg` means; undefined where no file is named. What was uploaded once is public, so a person is asked first. */
export function uploadMeant(argv: readonly string[], program: Command) {
  const [first = ''] = program.args.filter((word) => !word.startsWith('-'))
  if (commandBelow(program, first) !== undefined || !existsSync(first)) return undefined
  const files = program.args.filter((path) => existsSync(path))
  const isFolder = (path: string) => existsSync(`${path}/.`)
  const needsFlag = files.some(isFolder) && !argv.some((word) => /^(-\w*r\w*|--recursive)$/.test(word))
  const words = ['upload', ...(needsFlag ? ['-r'] : []), ...argv]
  const command = `fh ${words.map((word) => shellWord(word)).join(' ')}`
  return {
    words,
    /** @throws CliError where a person says no, or cannot be asked */
    async confirm(context: Context): Promise<void> {
      const prompt = await context.prompt()
      if (!prompt.isPossible) throw usageError(`unknown command '${first}'`, hints.didYouMean(command))
      const what = `${files.length === 1 && isFolder(first) ? 'the folder ' : ''}${fileNames(files)}`
      const isMeant = await prompt.confirm(`Upload ${what}? [Y/n] `, true)
      if (!isMeant) throw new CliError('declined', 'Nothing was uploaded')
    },
  }
}
