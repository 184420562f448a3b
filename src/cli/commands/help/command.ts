import type { Command } from 'commander'
import { usageError } from '../../failures/cli-error.ts'
import { exitCodeRemarks, exitCodes } from '../../failures/exit-codes.ts'
import { alignColumns } from '../../output/tables/align-columns.ts'
import type { Context } from '../../run/context.ts'
import { helpTopics } from '../../run/program-description.ts'
import { environmentHelp } from './help-environment.ts'
import { fullHelp } from './help-text.ts'

export interface HelpOptions {
  readonly text: string
  readonly data: unknown
}

export function register(command: Command, start: (options: HelpOptions) => void): void {
  command
    .description('Show help on a command, the exit codes or the environment variables.')
    .argument('[topic...]', 'a command, exit-codes or environment')
    .addHelpText('after', '\nExamples:\n  fh help upload\n  fh help config set\n  fh help exit-codes')
    .action((topic: readonly string[]) => start(helpOn(topic, command.parent ?? command)))
}

export async function run(options: HelpOptions, { reporter }: Context): Promise<void> {
  reporter.report({ type: 'shown', ...options })
}

function helpOn(topic: readonly string[], program: Command): HelpOptions {
  const name = topic.join(' ')
  if (name === 'exit-codes') return exitCodeHelp()
  if (name === 'environment') return environmentHelp()
  let command = program
  for (const word of topic) command = subcommand(command, word, name)
  const text = fullHelp(command)
  return { text, data: { help: text } }
}

function subcommand(command: Command, word: string, topic: string): Command {
  const found = command.commands.find((candidate) => candidate.name() === word)
  if (found !== undefined) return found
  const names = command.commands.map((candidate) => candidate.name())
  const known = command.parent === null ? [...names, ...helpTopics.map(({ name }) => name)] : names
  const hint = known.length > 0 ? `Topics: ${known.join(', ')}` : `See fh help ${command.name()}`
  throw usageError(`There is no help on ${JSON.stringify(topic)}`, hint)
}

function exitCodeHelp(): HelpOptions {
  const rows = exitCodes.map(({ code, meaning }) => [String(code), meaning])
  return {
    text: [...alignColumns([['CODE', 'MEANING'], ...rows]), '', ...exitCodeRemarks].join('\n'),
    data: exitCodes,
  }
}
