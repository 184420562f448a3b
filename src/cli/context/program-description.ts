import type { Command } from 'commander'

/** All commands by name, and those asked about with their arguments and flags. */
export interface ProgramDescription {
  readonly program: Command
  /** What --fields of a command may name. */
  fieldsOf(command: string): readonly string[]
}

/** @param words names the commands to load */
export type DescribeProgram = (words: readonly string[]) => Promise<ProgramDescription>

/** The topics of `fh help` that are not commands. */
export const helpTopics = [
  { name: 'flags', summary: 'the flags of every command' },
  { name: 'exit-codes', summary: 'what each exit code means' },
  { name: 'environment', summary: 'the environment variables fh reads' },
] as const
