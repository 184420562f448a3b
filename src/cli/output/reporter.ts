import type { CliEvent } from './events.ts'

/** Prints the events of a command. */
export interface Reporter {
  report(event: CliEvent): void
  /** Called once, at the end; the JSON reporter prints its document here. */
  close(): void
}

/** Where a reporter writes. */
export interface Output {
  /** Data only. */
  stdout(text: string): void
  /** Messages, progress, warnings, prompts, errors. */
  stderr(text: string): void
}

/** How much to print besides the data. */
export interface Verbosity {
  readonly quiet: boolean
  readonly verbose: boolean
  /** Adds an HTTP trace, and the stack of a failure, on stderr. */
  readonly debug: boolean
}
