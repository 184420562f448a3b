/** The failures of the command line itself; the library has errors of its own. */
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

/** A failure of the command line: `message` says what happened, `hint` what to do next. */
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

/** An error in the arguments or flags of a command, or in a setting. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, hint === undefined ? {} : { hint })
}

/** Turns the library's TypeErrors and RangeErrors, which are about arguments, into usage errors. */
export function asUsage<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw usageError(error.message)
    throw error
  }
}

/** Makes a forgotten case of a union fail to compile. */
export function unreachable(value: never): never {
  throw new TypeError(`Unexpected case: ${JSON.stringify(value)}`)
}
