import { WrongPagesError } from '../../client/each-page.ts'
import { FileHostError } from '../../client/errors.ts'
import { TransportError } from '../../client/transports/transport.ts'
import { StoreError } from '../../store/store-error.ts'
import { isAbort } from '../../system/signals.ts'
import { CliError, cliExitCodes, exitCodeOfSignal, storeFailure } from './cli-error.ts'

const PARTIAL = 3
const TEMPORARY = 5

/** The meaning of every exit code. A path that used to succeed never gets a new code. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'done; also an empty list, and all skipped' },
  { code: 1, meaning: 'failed, unclassified, or every item failed for different reasons' },
  { code: 2, meaning: 'usage, bad input, or a file refused (locally, or 413 or 422 by the service)' },
  { code: PARTIAL, meaning: 'partial: some failed for good; others may succeed on retry (retryable in --json)' },
  { code: 4, meaning: 'no key, 401, or a prompt was needed and not possible' },
  { code: TEMPORARY, meaning: 'temporary: all that failed may succeed later (429, 503, network)' },
  { code: 6, meaning: 'not found' },
  { code: 7, meaning: 'the account may not: 403' },
  { code: 8, meaning: 'outcome unknown: an upload may exist and could not be told apart' },
  { code: 126, meaning: 'the command of fh emulate cannot be run' },
  { code: 127, meaning: 'the command of fh emulate is not found' },
  { code: exitCodeOfSignal.SIGHUP, meaning: 'hung up: the window was closed (SIGHUP)' },
  { code: exitCodeOfSignal.SIGINT, meaning: 'interrupted (SIGINT)' },
  { code: exitCodeOfSignal.SIGTERM, meaning: 'terminated (SIGTERM)' },
]

/** Of the library's errors; all others are 1. */
const libraryExitCodes: Readonly<Partial<Record<FileHostError['code'], number>>> = {
  'authentication-failed': 4,
  'access-denied': 7,
  'not-found': 6,
  'validation-failed': 2,
  'over-limit': 2,
  'rate-limited': TEMPORARY,
  unavailable: TEMPORARY,
  'connection-failed': TEMPORARY,
  timeout: TEMPORARY,
  'file-exists': 2,
  'outcome-unknown': 8,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return cliExitCodes[error.code]
  if (error instanceof StoreError) return exitCodeOf(storeFailure(error))
  if (isAbort(error)) return exitCodeOfSignal.SIGINT
  if (error instanceof WrongPagesError) return PARTIAL
  if (!(error instanceof FileHostError) || isPermanent(error)) return 1
  return error.code.startsWith('source-') ? sourceExitCode(error) : (libraryExitCodes[error.code] ?? 1)
}

/** The site of a URL does not have the file, or has a fault for a while; else the source is bad input. */
function sourceExitCode({ status, cause }: FileHostError): number {
  if (status === 404 || status === 410) return 6
  const isTemporary = cause instanceof TransportError || status === 429 || (status !== undefined && status >= 500)
  return isTemporary ? TEMPORARY : 2
}

export function isRetryable(error: unknown): boolean {
  return exitCodeOf(error) === TEMPORARY || isAbort(error)
}

/** Network failures that trying again does not help: a certificate, http instead of https, a wrong password of Redis. */
function isPermanent({ cause }: FileHostError): boolean {
  return (cause instanceof TransportError && cause.permanent) || (cause instanceof StoreError && !cause.isPassing)
}

export interface BatchItem {
  readonly status: 'uploaded' | 'downloaded' | 'skipped' | 'deleted' | 'failed' | 'unknown' | 'not_started'
  readonly error: { readonly exitCode: number } | null
}

/**
 * An unknown outcome outranks all else: a script must not repeat it blindly. Where time mends every failure, the same command
 * is worth a repetition. @param mayMiss whether the items are not certain to be all that were meant
 */
export function exitCodeOfBatch(items: readonly BatchItem[], mayMiss = false): number {
  if (items.some(({ status }) => status === 'unknown')) return 8
  // Items that were never started have an error but did not fail.
  const failed = items.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return mayMiss ? PARTIAL : 0
  const codes = new Set(failed.map(({ error }) => error?.exitCode ?? 1))
  const [only = 1] = codes
  const isOnly = codes.size === 1
  if (isOnly && only === TEMPORARY) return TEMPORARY
  if (items.some(({ error }) => error === null)) return PARTIAL
  return isOnly ? only : 1
}
