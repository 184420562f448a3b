import type { StoreError } from '../../store/store-error.ts'
import { hints } from './hints.ts'

/** 128 and the number of the signal. */
export const exitCodeOfSignal = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The failures of the command line itself, with their exit codes; the library has errors of its own. */
export const cliExitCodes = {
  usage: 2,
  'no-api-key': 4,
  'no-base-url': 2,
  'prompt-needed': 4,
  declined: 1,
  'config-unusable': 2,
  'not-set': 1,
  'not-started': 1,
  'port-taken': 1,
  'data-unusable': 1,
  'state-unwritable': 1,
  'state-busy': 5,
  'ledger-unreachable': 5,
  'ledger-unusable': 1,
  'no-emulator': 5,
  'client-misbehaved': 1,
  'output-failed': 1,
  'file-unwritable': 1,
  'command-not-found': 127,
  'command-not-runnable': 126,
} as const

type CliErrorCode = keyof typeof cliExitCodes

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

/** The failure of what is kept on this machine, or shared in Redis. */
export function storeFailure({ failure, message, hint, isOfRedis, isPassing }: StoreError): CliError {
  if (failure === 'busy') return new CliError('state-busy', message, { hint: hints.stoppedRun })
  if (!isOfRedis) return new CliError('state-unwritable', message, { hint: hints.stateFolder })
  // What lasts, such as a wrong password, says what to do; an outage does not.
  const isTold = hint && (failure === 'lost' || !isPassing)
  const code = isPassing ? 'ledger-unreachable' : 'ledger-unusable'
  return new CliError(code, message, { hint: isTold ? hint : hints.withoutLedger })
}

export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, hint === undefined ? {} : { hint })
}

/** Turns TypeErrors and RangeErrors, which are about arguments, into usage errors that name the place of the argument. */
export function asUsage<T>(make: () => T, place?: string): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw usageError(place ? `${place}: ${error.message}` : error.message)
  }
}
