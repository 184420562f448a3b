import { FileHostError, TransportError } from '../../index.ts'
import { isAbort } from '../../system/signals.ts'
import { CliError, cliExitCodes, exitCodeOfSignal } from './cli-error.ts'

/** The meaning of every exit code. A path that used to succeed never gets a new code. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'done; also an empty list, and all skipped' },
  { code: 1, meaning: 'failed, unclassified, or every item failed for different reasons' },
  { code: 2, meaning: 'usage, bad input, or a file refused (locally, or 413 or 422 by the service)' },
  { code: 3, meaning: 'partial: some done, some failed' },
  { code: 4, meaning: 'no key, 401, or a prompt was needed and not possible' },
  { code: 5, meaning: 'temporary: 429 beyond --max-wait, 503, network; try again later' },
  { code: 6, meaning: 'not found' },
  { code: 7, meaning: 'the account may not: 403' },
  { code: 8, meaning: 'outcome unknown: an upload may exist and could not be told apart' },
  { code: 9, meaning: 'nothing transferred, with --error-on-no-transfer' },
  { code: exitCodeOfSignal.SIGHUP, meaning: 'hung up: the window was closed (SIGHUP)' },
  { code: exitCodeOfSignal.SIGINT, meaning: 'interrupted (SIGINT)' },
  { code: exitCodeOfSignal.SIGTERM, meaning: 'terminated (SIGTERM)' },
]

/** Printed below the codes. */
export const exitCodeRemarks: readonly string[] = [
  'When all items of a command fail for one reason, its code is that of the reason.',
  'A certificate that is not trusted is not temporary: 1.',
  "fh emulate -- command exits with the command's code, or 128+n after signal n.",
  'A command that is not found ends it with 127, one that cannot be run with 126.',
]

type SourceCode = `source-${string}`

/** Of the library's errors. An error of a source is 2, unless a site failed to give the file. */
const clientCodes: Readonly<Record<Exclude<FileHostError['code'], SourceCode>, number>> = {
  'authentication-failed': 4,
  'access-denied': 7,
  'not-found': 6,
  'validation-failed': 2,
  'over-limit': 2,
  'rate-limited': 5,
  unavailable: 5,
  'unexpected-response': 1,
  'connection-failed': 5,
  timeout: 5,
  'file-exists': 2,
  'file-unwritable': 1,
  'stream-failed': 1,
  'size-mismatch': 1,
  'no-file-address': 1,
  'outcome-unknown': 8,
  'client-closed': 1,
}

/** The exit code of an error; 1 for an error that has no code of its own. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return cliExitCodes[error.code]
  if (isAbort(error)) return exitCodeOfSignal.SIGINT
  if (!(error instanceof FileHostError)) return 1
  if (isPermanent(error)) return 1
  const { code } = error
  return isSourceCode(code) ? sourceExitCode(error) : clientCodes[code]
}

/** The site of a URL does not have the file, or has a fault for a while; else the source is bad input. */
function sourceExitCode({ status, cause }: FileHostError): number {
  if (status === 404 || status === 410) return clientCodes['not-found']
  const isTemporary = cause instanceof TransportError || status === 429 || (status !== undefined && status >= 500)
  return isTemporary ? clientCodes['connection-failed'] : 2
}

function isSourceCode<Code extends string>(code: Code): code is Extract<Code, SourceCode> {
  return code.startsWith('source-')
}

/** Network failures that trying again does not help: a certificate, http instead of https, an unreadable answer. */
function isPermanent({ cause }: FileHostError): boolean {
  if (!(cause instanceof TransportError)) return false
  const { failure, permanent } = cause
  return failure === 'untrusted' || failure === 'wrong-scheme' || (failure === 'interrupted' && permanent)
}

/** What the exit code of a batch depends on. */
export interface BatchItem {
  readonly status: 'uploaded' | 'downloaded' | 'skipped' | 'deleted' | 'failed' | 'unknown' | 'not_started'
  readonly error: { readonly exitCode: number } | null
}

export interface BatchConditions {
  readonly errorOnNoTransfer?: boolean | undefined
  /** Whether the items are not certain to be all that were meant. */
  readonly mayMiss?: boolean
}

/**
 * The exit code of a batch. An unknown outcome outranks all else: a script must not repeat it blindly. Items that were
 * never started have an error but did not fail.
 */
export function exitCodeOfBatch(
  items: readonly BatchItem[],
  { errorOnNoTransfer = false, mayMiss = false }: BatchConditions = {},
): number {
  if (items.some(({ status }) => status === 'unknown')) return 8
  const failed = items.filter(({ status }) => status === 'failed')
  const transferred = items.some(({ status }) => status === 'uploaded')
  if (failed.length === 0 && mayMiss) return 3
  if (failed.length === 0) return errorOnNoTransfer && !transferred ? 9 : 0
  const done = items.some(({ status, error }) => status !== 'failed' && error === null)
  if (done) return 3
  const codes = new Set(failed.map(({ error }) => error?.exitCode ?? 1))
  const [only = 1] = codes
  return codes.size === 1 ? only : 1
}
