import type { Command } from 'commander'
import { usageError } from '../../failures/cli-error.ts'
import { exitCodeRemarks, exitCodes } from '../../failures/exit-codes.ts'
import type { Document } from '../../output/documents.ts'
import type { Context } from '../../run/context.ts'
import { helpTopics } from '../../run/program-description.ts'
import { environmentVariables, fullHelp } from './help-text.ts'

export function register(command: Command, start: (document: Document) => void): void {
  command
    .description('Show help on a command, the exit codes or the environment variables.')
    .argument('[topic...]', 'a command, exit-codes or environment')
    .addHelpText('after', '\nExamples:\n  fh help upload\n  fh help config set\n  fh help exit-codes')
    .action((topic: readonly string[]) => start(helpOn(topic, command.parent ?? command)))
}

export async function run(document: Document, { reporter }: Context): Promise<void> {
  reporter.report({ type: 'document', document })
}

function helpOn(topic: readonly string[], program: Command): Document {
  const name = topic.join(' ')
  if (name === 'exit-codes') {
    return { type: 'table', headings: ['CODE', 'MEANING'], data: exitCodes, remarks: exitCodeRemarks }
  }
  if (name === 'environment') {
    const remarks = ['A flag overrides a variable; a variable overrides the profile in the config file.']
    return { type: 'table', headings: ['VARIABLE', 'MEANING'], data: environmentVariables, remarks }
  }
  let command = program
  for (const word of topic) command = subcommand(command, word, name)
  return { type: 'command-help', data: { help: fullHelp(command) } }
}

function subcommand(command: Command, word: string, topic: string): Command {
  const found = command.commands.find((candidate) => candidate.name() === word)
  if (found !== undefined) return found
  const names = command.commands.map((candidate) => candidate.name())
  const known = command.parent === null ? [...names, ...helpTopics.map(({ name }) => name)] : names
  const hint = known.length > 0 ? `Topics: ${known.join(', ')}` : `See fh help ${command.name()}`
  throw usageError(`There is no help on ${JSON.stringify(topic)}`, hint)
}
