import type { Command } from 'commander'
import type { BatchConditions, BatchItem } from '../failures/exit-codes.ts'
import type { Context } from './context.ts'

/** How a command ended; nothing is success. Failures are thrown. */
export type CommandResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  | void
  | ({ readonly type: 'batch'; readonly items: readonly BatchItem[] } & BatchConditions)
  /** With the exit code of a command that fh ran. */
  | { readonly type: 'exit'; readonly code: number }

/** What the file of a command exports. */
export interface CommandModule<Options> {
  /**
   * Declares arguments, flags and examples; calls `start` with the parsed options.
   * @param argv the whole command line, not parsed yet
   */
  register(command: Command, start: (options: Options) => void, argv: readonly string[]): void
  run(options: Options, context: Context): Promise<CommandResult>
}
