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
import { StoreError } from '../../store/store-error.ts'
import { isAbort } from '../../system/signals.ts'
import { formatDuration } from '../format/format.ts'
import { CliError, storeFailure } from './cli-error.ts'
import { exitCodeOf, isRetryable } from './exit-codes.ts'
import { hints } from './hints.ts'

export function describeFailure(thrown: unknown) {
  const error = thrown instanceof StoreError ? storeFailure(thrown) : thrown
  const answered = error instanceof FileHostError ? error : undefined
  return {
    code: codeOf(error),
    exitCode: exitCodeOf(error),
    retryable: isRetryable(error),
    message: messageOf(error),
    /** The service's own words, verbatim; they say nothing of an unknown outcome. */
    serviceMessage: (error instanceof UnknownOutcomeError ? undefined : answered?.serviceMessage) ?? null,
    hint: (error instanceof CliError ? error.hint : answered && hintOf(answered)) ?? null,
    httpStatus: answered?.status ?? null,
    window: error instanceof RateLimitError ? (error.window ?? null) : null,
    retryAfterMs: isRefusal(error) ? (error.retryAfterMs ?? null) : null,
    request: answered?.request ?? null,
    stopsBatch: stopsBatch(thrown),
    /** For --debug. */
    stack: thrown instanceof Error ? (thrown.stack ?? null) : null,
  }
}

export type Failure = ReturnType<typeof describeFailure>

function codeOf(error: unknown): string {
  if (error instanceof FileHostError && error.cause instanceof StoreError) return storeFailure(error.cause).code
  if (error instanceof CliError || error instanceof FileHostError) return error.code
  return isAbort(error) ? 'interrupted' : 'internal'
}

export function missingSlug({ code, request }: Pick<FileHostError, 'code' | 'request'> | Failure): string | undefined {
  return code === 'not-found' ? /\/api\/uploads\/([^/]+)$/.exec(request?.path ?? '')?.[1] : undefined
}

function messageOf(error: unknown): string {
  if (isAbort(error)) return 'interrupted'
  const slug = error instanceof FileHostError ? missingSlug(error) : undefined
  if (slug !== undefined) return `no upload has the slug ${slug}`
  if (!(error instanceof Error)) return String(error)
  if (!isRefusal(error) || error.status !== undefined) return error.message
  // What was not sent is named before, and the option of the library is a flag here.
  return error.message.replace(/^.*? was not sent/s, 'not sent').replace('maxWaitMs', '--max-wait')
}

/** All further items of a batch would fail for the same reason. */
const accountErrors = ['authentication-failed', 'access-denied', 'over-limit', 'rate-limited', 'unavailable']

/** An upload whose outcome is unknown stops the batch if the list is refused to all files alike. */
function stopsBatch(error: unknown): boolean {
  if (error instanceof UnknownOutcomeError && error.candidates.length === 0) return stopsBatch(error.cause)
  if (!(error instanceof FileHostError)) return error instanceof StoreError
  const { code, cause } = error
  if (cause instanceof StoreError || accountErrors.includes(code)) return true
  // No connection was made, which after all retries means that the service is down, or no try helps.
  const isOut = cause instanceof TransportError && (cause.permanent || !cause.mayHaveArrived)
  return isOut && !(error instanceof SourceError)
}

function isRefusal(error: unknown): error is RateLimitError | UnavailableError {
  return error instanceof RateLimitError || error instanceof UnavailableError
}

function hintOf(error: FileHostError): string | undefined {
  const { code, cause, hint } = error
  const slug = missingSlug(error)
  if (slug !== undefined) return hints.byName(slug)
  if (code === 'file-exists') return hints.force
  // One that the upload words itself has the library's as its cause.
  if (code === 'source-unsupported-type' && cause === undefined) return hint && hints.anyType(hint)
  if (cause instanceof StoreError) return cause.hint ?? hints.withoutLedger
  if (isRefusal(error)) return waitHint(error)
  const isOfNetwork = error instanceof SourceError || error instanceof ConnectionError
  const found = isOfNetwork && cause instanceof TransportError ? networkHint(error, cause) : undefined
  if (code === 'source-too-large') return hint ?? hints.largerFiles
  return found ?? hint ?? (isRetryable(error) ? hints.tryAgain('later') : undefined)
}

/** When to try again after 429 or 503, or where the wait for quota was too long to send the request. */
function waitHint(error: RateLimitError | UnavailableError): string {
  const ms = error.retryAfterMs
  // The service told whole seconds; the pacer has added a margin.
  const when = ms ? `in ${formatDuration(Math.max(Math.round(ms / 1_000), 1) * 1_000)}` : 'later'
  return hints.tryAgain(when, error instanceof RateLimitError)
}

/** What to do if no connection was made, to the service or to the site of a URL. */
function networkHint(error: FileHostError, cause: TransportError): string | undefined {
  if (cause.failure === 'untrusted') return hints.ownAuthority
  if (cause instanceof ThroughProxyError && cause.place !== undefined) return hints.proxy(cause.place)
  if (error instanceof SourceError) return cause.mayHaveArrived && !cause.permanent ? undefined : hints.network
  if (cause.failure === 'wrong-scheme') return hints.plainHttp
  return refusedAddress(cause) && hints.nothingListens
}
