import type { Command } from 'commander'
import type { BatchItem } from '../failures/exit-codes.ts'
import type { Context } from './context.ts'

/** How a command ended, where that is not plain success; failures are thrown. */
export type CommandResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  | void
  | {
      readonly type: 'batch'
      readonly items: readonly BatchItem[]
      readonly errorOnNoTransfer?: boolean
      /** Called last, when all that was to be printed has been taken; with false where it could not be. */
      readonly onPrinted?: (isPrinted: boolean) => void
    }
  /** The exit code of a command that fh ran. */
  | { readonly type: 'exit'; readonly code: number }

/** What each file of `commands/` exports. */
export interface CommandModule<Options> {
  /**
   * Declares arguments, flags and examples, and turns what was parsed into options.
   * @param argv the whole command line, for what has to be known before it is parsed
   */
  register(command: Command, start: (options: Options) => void, argv: readonly string[]): void
  run(options: Options, context: Context): Promise<CommandResult>
}
