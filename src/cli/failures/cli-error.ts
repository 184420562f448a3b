/** What can go wrong in the command line itself; what the service or the network does has its own errors. */
export type CliErrorCode =
  | 'usage'
  | 'no-api-key'
  | 'no-base-url'
  | 'prompt-needed'
  | 'declined'
  | 'config-broken'
  | 'config-unusable'
  | 'not-set'
  | 'interrupted'
  | 'not-started'
  | 'port-taken'
  | 'data-unusable'
  | 'state-unwritable'
  | 'no-emulator'
  | 'client-misbehaved'
  | 'output-failed'
  | 'stuck'
  | 'pages-in-circles'
  | 'file-exists'
  | 'file-unwritable'
  | 'size-mismatch'
  | 'no-file-address'
  | 'command-not-found'
  | 'command-not-runnable'

/** A failure the command line explains itself: what happened, and as `hint` what to do next. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: CliErrorCode
  readonly hint: string | undefined

  constructor(code: CliErrorCode, message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
  }
}

/** The command was not used as its help says. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, hint === undefined ? {} : { hint })
}

/** The library's TypeErrors and RangeErrors are about its arguments, and those came from the user. */
export function asUsage<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw usageError(error.message)
    throw error
  }
}

/** Fails to compile where a case of a union was forgotten. */
export function unreachable(value: never): never {
  throw new TypeError(`Unexpected case: ${JSON.stringify(value)}`)
}
