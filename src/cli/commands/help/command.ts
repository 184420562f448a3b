import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import { helpTopics } from '../../context/program-description.ts'
import { usageError } from '../../failures/cli-error.ts'
import { didYouMean, meantCommand } from '../../failures/did-you-mean.ts'
import { exitCodeRemarks, exitCodes } from '../../failures/exit-codes.ts'
import { commandBelow } from '../../input/command-words.ts'
import type { Document } from '../../output/documents.ts'
import { alignRows, flagRow, grouped, type HelpRow, helpWidth, layOut, wrapHelp } from '../../output/help-layout.ts'
import { environmentVariables, fullHelp } from './help-text.ts'

export function register(command: Command, start: (document: Document) => void): void {
  command
    .description('Show help on a command, the flags of every command, exit codes or variables.')
    .argument('[topic...]', 'a command, flags, exit-codes or environment')
    .addHelpText('after', '\nExamples:\n  fh help upload\n  fh help config set\n  fh help exit-codes')
    .action((topic: readonly string[]) => start(helpOn(topic, command.parent ?? command)))
}

export async function run(document: Document, { reporter }: Context): Promise<void> {
  reporter.report({ type: 'document', document })
}

function helpOn(topic: readonly string[], program: Command): Document {
  const name = topic.join(' ')
  switch (name) {
    case 'flags':
      return flagsHelp(program)
    case 'exit-codes': {
      const rows = exitCodes.map(({ code, meaning }) => [String(code), meaning] as const)
      return { type: 'topic', data: exitCodes, text: table(['CODE', 'MEANING'], rows, exitCodeRemarks) }
    }
    case 'environment': {
      const rows = environmentVariables.map(({ name: variable, meaning }) => [variable, meaning] as const)
      return { type: 'topic', data: environmentVariables, text: table(['VARIABLE', overruling], rows) }
    }
    default: {
      let command = program
      for (const word of topic) command = subcommand(command, word, name)
      return { type: 'command-help', data: { help: fullHelp(command) } }
    }
  }
}

function flagsHelp(program: Command): Document {
  // The version is asked of fh itself.
  const options = program.options.filter(({ long }) => long !== '--version')
  const rows = options.map((option) => [option.helpGroupHeading ?? '', flagRow(option)] as const)
  const lines = ['Flags of every command, before or after its name:', '', ...layOut(grouped(rows), helpWidth())]
  return { type: 'command-help', data: { help: wrapHelp(lines.join('\n')) } }
}

const overruling = 'MEANING (a flag overrides it, and it overrides the profile)'

function table(headings: HelpRow, rows: readonly HelpRow[], remarks: readonly string[] = []): string {
  const below = remarks.length > 0 ? ['', ...remarks] : []
  return wrapHelp([...alignRows([headings, ...rows], helpWidth()), ...below].join('\n'))
}

function subcommand(command: Command, word: string, topic: string): Command {
  const found = commandBelow(command, word)
  if (found !== undefined) return found
  const names = command.commands.map((candidate) => candidate.name())
  const known = command.parent === null ? [...names, ...helpTopics.map(({ name }) => name)] : names
  const all = known.length > 0 ? `Topics: ${known.join(', ')}` : `See fh help ${command.name()}`
  const near = command.parent === null ? meantCommand : didYouMean
  throw usageError(`There is no help on ${JSON.stringify(topic)}`, near(word, known, all))
}
