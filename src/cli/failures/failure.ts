import { FileHostError, RateLimitError, TransportError, UnavailableError } from '../../index.ts'
import { formatDuration } from '../output/format/duration.ts'
import { CliError } from './cli-error.ts'
import { connectionHint } from './connection-hint.ts'
import { exitCodeOf, isAbort } from './exit-codes.ts'

/** An error as reporters show it. */
export interface Failure {
  readonly code: string
  readonly exitCode: number
  readonly message: string
  /** The service's own words, verbatim. */
  readonly serviceMessage: string | null
  readonly hint: string | null
  readonly httpStatus: number | null
  readonly window: string | null
  readonly retryAfterMs: number | null
  readonly request: { readonly method: string; readonly path: string } | null
  /** Whether it would meet every other request too. */
  readonly stopsBatch: boolean
  /** For --debug. */
  readonly stack: string | null
}

const batchStoppingCodes = ['authentication-failed', 'access-denied', 'unavailable', 'rate-limited', 'over-limit']

/** After all its retries, a service that cannot even be connected to is away for a while. */
function isUnreachable({ cause }: FileHostError): boolean {
  return cause instanceof TransportError && !cause.mayHaveArrived
}

/** What can be said of anything that was thrown. */
export function describeFailure(error: unknown): Failure {
  const failure = {
    code: codeOf(error),
    exitCode: exitCodeOf(error),
    message: messageOf(error),
    hint: error instanceof CliError || error instanceof FileHostError ? (error.hint ?? null) : null,
    stopsBatch: error instanceof FileHostError && (batchStoppingCodes.includes(error.code) || isUnreachable(error)),
    stack: error instanceof Error ? (error.stack ?? null) : null,
  }
  if (!(error instanceof FileHostError)) {
    return { ...failure, serviceMessage: null, httpStatus: null, window: null, retryAfterMs: null, request: null }
  }
  return {
    ...failure,
    hint: connectionHint(error) ?? unsentHint(error) ?? failure.hint ?? usualHint(error),
    serviceMessage: error.serviceMessage ?? null,
    httpStatus: error.status ?? null,
    window: error instanceof RateLimitError ? (error.window ?? null) : null,
    retryAfterMs: retryAfterOf(error),
    request: error.request ?? null,
  }
}

function codeOf(error: unknown): string {
  if (error instanceof CliError || error instanceof FileHostError) return error.code
  return isAbort(error) ? 'interrupted' : 'internal'
}

function messageOf(error: unknown): string {
  if (isAbort(error)) return 'interrupted'
  return error instanceof Error ? error.message : String(error)
}

function retryAfterOf(error: FileHostError): number | null {
  const limited = error instanceof RateLimitError || error instanceof UnavailableError
  return limited ? (error.retryAfterMs ?? null) : null
}

/** What to do where a request would have had to wait for too long, and was not sent. */
function unsentHint(error: FileHostError): string | undefined {
  const isUnsent = (error instanceof RateLimitError || error instanceof UnavailableError) && error.status === undefined
  if (!isUnsent) return undefined
  const ms = retryAfterOf(error)
  return `Try again ${ms ? `in ${formatDuration(ms)}` : 'once those have ended'}, or allow a longer --max-wait`
}

/** What to do next in the command line's own terms, where the library has no advice. */
function usualHint(error: FileHostError): string | null {
  switch (error.code) {
    case 'authentication-failed':
      return 'Run fh login with a key that is valid now'
    case 'access-denied':
      return 'The API key page of the website shows suspensions and the address allowlist'
    case 'not-found':
      return 'fh list shows what there is'
    case 'source-too-large':
      return 'Where the service takes larger files: --max-file-size SIZE, or none'
    case 'rate-limited':
      return `${retryHint(error)}, or allow a longer wait with --max-wait`
    case 'unavailable':
      return retryHint(error)
    case 'timeout':
    case 'connection-failed':
      return 'Try again later'
    default:
      return null
  }
}

function retryHint(error: FileHostError): string {
  const ms = retryAfterOf(error)
  return `Try again ${ms ? `in ${formatDuration(ms)}` : 'later'}`
}
