import type { Command } from 'commander'

/** The program as its help describes it: all commands by name, those that were asked about with all they take. */
export interface ProgramDescription {
  readonly program: Command
  /** What --fields may name. */
  fieldsOf(command: string): readonly string[]
}

/** @param words loads every command that is among them */
export type DescribeProgram = (words: readonly string[]) => Promise<ProgramDescription>
