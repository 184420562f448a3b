import type { Command } from 'commander'
import { argumentsAmong, commandBelow } from '../input/dash-slugs.ts'

interface NamedCommand {
  /** The deepest command that the words name. */
  readonly command: Command
  /** The word after it where it wants one of its subcommands, and this is none. */
  readonly stray: string | undefined
}

/** Finds the command that a command line names. */
export function namedCommand(argv: readonly string[], program: Command): NamedCommand {
  let command = program
  for (const word of argumentsAmong(argv, program)) {
    const below = commandBelow(command, word)
    if (below === undefined) {
      const wantsOne = command.commands.length > 0 && command.registeredArguments.length === 0
      return { command, stray: wantsOne ? word : undefined }
    }
    command = below
  }
  return { command, stray: undefined }
}
