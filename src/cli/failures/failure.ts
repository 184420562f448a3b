import {
  ConnectionError,
  FileHostError,
  RateLimitError,
  SourceError,
  UnavailableError,
  UnknownOutcomeError,
} from '../../client/errors.ts'
import { ThroughProxyError } from '../../client/transports/open-connection.ts'
import { refusedAddress, TransportError } from '../../client/transports/transport.ts'
import { type DatabaseFailure, StoreError } from '../../store/store-error.ts'
import { isAbort } from '../../system/signals.ts'
import { formatDuration } from '../format/format.ts'
import { CliError } from './cli-error.ts'
import { exitCodeOf, isRetryable, meaningOf, storeCodeOf } from './exit-codes.ts'
import { hints } from './hints.ts'

/** Describes anything that was thrown, as reporters show it. */
export function describeFailure(error: unknown) {
  const answered = error instanceof FileHostError ? error : undefined
  return {
    code: codeOf(error),
    exitCode: exitCodeOf(error),
    retryable: isRetryable(error),
    message: messageOf(error),
    /** The service's own words, verbatim; they say nothing of an unknown outcome. */
    serviceMessage: (error instanceof UnknownOutcomeError ? undefined : answered?.serviceMessage) ?? null,
    hint: (answered ? hintOf(answered) : ownHintOf(error)) ?? null,
    httpStatus: answered?.status ?? null,
    window: error instanceof RateLimitError ? (error.window ?? null) : null,
    retryAfterMs: isRefusal(error) ? (error.retryAfterMs ?? null) : null,
    request: answered?.request ?? null,
    stopsBatch: stopsBatch(error),
    /** For --debug. */
    stack: error instanceof Error ? (error.stack ?? null) : null,
  }
}

export type Failure = ReturnType<typeof describeFailure>

function codeOf(error: unknown): string {
  if (error instanceof FileHostError && error.cause instanceof StoreError) return 'ledger-unreachable'
  if (error instanceof CliError || error instanceof FileHostError) return error.code
  if (error instanceof StoreError) return storeCodeOf(error)
  return isAbort(error) ? 'interrupted' : 'internal'
}

function ownHintOf(error: unknown): string | undefined {
  if (!(error instanceof StoreError)) return error instanceof CliError ? error.hint : undefined
  const { failure, hint, isOfRedis, isPassing } = error
  if (!isOfRedis) return storeHints[failure as DatabaseFailure]
  return hint && (failure === 'lost' || !isPassing) ? hint : hints.withoutLedger
}

const storeHints: Readonly<Record<DatabaseFailure, string>> = {
  busy: hints.stoppedRun,
  newer: hints.stateFolder,
  damaged: hints.tryAgain('now'),
  moved: hints.tryAgain('now'),
  unusable: hints.stateFolder,
}

/** The error of what Redis could not be asked or told. */
export function ledgerError({ isPassing, hint = hints.withoutLedger }: StoreError, message: string) {
  return isPassing ? new ConnectionError(message, { hint }) : new CliError('ledger-unusable', message, { hint })
}

/** The slug that a request has asked for in vain. */
export function missingSlug(failure: {
  readonly code: string
  readonly request?: { readonly path: string } | null | undefined
}): string | undefined {
  const { code, request } = failure
  return code === 'not-found' ? /\/api\/uploads\/([^/]+)$/.exec(request?.path ?? '')?.[1] : undefined
}

function messageOf(error: unknown): string {
  if (isAbort(error)) return 'interrupted'
  const slug = error instanceof FileHostError ? missingSlug(error) : undefined
  if (slug !== undefined) return `no upload has the slug ${slug}`
  if (!(error instanceof Error)) return String(error)
  return isRefusal(error) && error.status === undefined ? unsentText(error.message) : error.message
}

/** A request that was not sent, in the words of the command line: the item is named before, and its flag is --max-wait. */
function unsentText(message: string): string {
  const text = message.replace(/^.*? was not sent/s, 'not sent').replace('maxWaitMs', '--max-wait')
  return text.replace(/(?<![\d.])([1-9]\d*) s\b/g, (_, seconds) => formatDuration(Number(seconds) * 1_000))
}

/** An upload whose outcome is unknown stops the batch if the list is refused to all files alike. */
function stopsBatch(error: unknown): boolean {
  if (error instanceof UnknownOutcomeError && error.candidates.length === 0) return stopsBatch(error.cause)
  if (error instanceof StoreError) return true
  return error instanceof FileHostError && (meaningOf(error).stopsBatch === true || isUnreachable(error))
}

/** Whether no connection was made, which after all retries means that the service is down, or whether no try helps. */
function isUnreachable(error: FileHostError): boolean {
  const { cause } = error
  if (cause instanceof StoreError) return true
  const isOut = cause instanceof TransportError && (cause.permanent || !cause.mayHaveArrived)
  return isOut && !(error instanceof SourceError)
}

function isRefusal(error: unknown): error is RateLimitError | UnavailableError {
  return error instanceof RateLimitError || error instanceof UnavailableError
}

function hintOf(error: FileHostError): string | undefined {
  const slug = missingSlug(error)
  if (slug !== undefined) return hints.byName(slug)
  return fileHint(error) ?? connectionHint(error) ?? waitHint(error) ?? error.hint ?? meaningOf(error).hint
}

/** When to try again after 429 or 503, or where the wait for quota was too long to send the request. */
function waitHint(error: FileHostError): string | undefined {
  if (!isRefusal(error)) return undefined
  const isUnsent = error.status === undefined
  const ms = error.retryAfterMs
  // The service told whole seconds; the pacer has added a margin.
  const when = ms
    ? `in ${formatDuration(Math.max(Math.round(ms / 1_000), 1) * 1_000)}`
    : isUnsent
      ? 'when the requests in flight have finished'
      : 'later'
  const canWaitLonger = isUnsent || error instanceof RateLimitError
  return hints.tryAgain(when, canWaitLonger)
}

/** What to do about a file: its path is taken, or the site of its URL was not reached. */
function fileHint(error: FileHostError): string | undefined {
  const { code, cause } = error
  if (code === 'file-exists') return hints.force
  // One that the upload words itself has the library's as its cause.
  if (code === 'source-unsupported-type' && cause === undefined) {
    return error.hint && hints.anyType(error.hint)
  }
  if (!(error instanceof SourceError && cause instanceof TransportError)) return undefined
  if (cause.failure === 'untrusted') return hints.ownAuthority
  const behind = proxyHint(cause)
  if (behind !== undefined) return behind
  return cause.mayHaveArrived && !cause.permanent ? (error.hint ?? hints.tryAgain('later')) : hints.network
}

/** What to do if a proxy that something names did not let a request through. */
function proxyHint(cause: TransportError): string | undefined {
  if (!(cause instanceof ThroughProxyError) || cause.place === undefined) return undefined
  const { place } = cause
  const problem = refusedAddress(cause) !== undefined ? 'Nothing listens at the proxy' : 'The proxy did not connect'
  return hints.proxy(problem, place)
}

/** What to do if no connection was made; undefined if the reason of the system or of TLS does not show it. */
function connectionHint(error: FileHostError): string | undefined {
  const { cause } = error
  if (cause instanceof StoreError) return cause.hint ?? hints.withoutLedger
  if (!(error instanceof ConnectionError && cause instanceof TransportError)) return undefined
  if (cause.failure === 'untrusted') return hints.ownAuthority
  if (cause.failure === 'wrong-scheme') return hints.plainHttp
  const behind = proxyHint(cause)
  if (behind !== undefined) return behind
  return refusedAddress(cause) && hints.nothingListens
}
