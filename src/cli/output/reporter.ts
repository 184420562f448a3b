import type { CliEvent } from './events.ts'

/** Shows what happens in a command. */
export interface Reporter {
  report(event: CliEvent): void
  /** Called once, last; a reporter that prints one document does it here. */
  close(): void
}

/** Where a reporter writes. */
export interface Output {
  /** Data only. */
  stdout(text: string): void
  /** Messages, progress, warnings, prompts, errors. */
  stderr(text: string): void
}

/** How much is said beside the data. */
export interface Verbosity {
  readonly quiet: boolean
  readonly verbose: boolean
  /** An HTTP trace on stderr, and the stack of a failure. */
  readonly debug: boolean
}
