import {
  ConnectionError,
  FileHostError,
  RateLimitError,
  SourceError,
  TransportError,
  UnavailableError,
  UnknownOutcomeError,
} from '../../index.ts'
import { isAbort } from '../../system/signals.ts'
import { formatDuration } from '../format/format.ts'
import { CliError } from './cli-error.ts'
import { exitCodeOf } from './exit-codes.ts'

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
  /** Whether all further items of a batch would fail for the same reason. */
  readonly stopsBatch: boolean
  /** For --debug. */
  readonly stack: string | null
}

const batchStoppingCodes: readonly FileHostError['code'][] = [
  'authentication-failed',
  'access-denied',
  'unavailable',
  'rate-limited',
  'over-limit',
]

/** An upload whose outcome is unknown stops the batch if the list is refused to all files alike. */
function stopsBatch(error: unknown): boolean {
  if (error instanceof UnknownOutcomeError && error.candidates.length === 0) return stopsBatch(error.cause)
  return error instanceof FileHostError && (batchStoppingCodes.includes(error.code) || isUnreachable(error))
}

/** Whether no connection was made, which after all retries means that the service is down for a while. */
function isUnreachable(error: FileHostError): boolean {
  const { cause } = error
  return cause instanceof TransportError && !cause.mayHaveArrived && !(error instanceof SourceError)
}

/** Describes anything that was thrown. */
export function describeFailure(error: unknown): Failure {
  const failure = {
    code: codeOf(error),
    exitCode: exitCodeOf(error),
    message: messageOf(error),
    hint: error instanceof CliError ? (error.hint ?? null) : null,
    stopsBatch: stopsBatch(error),
    stack: error instanceof Error ? (error.stack ?? null) : null,
  }
  if (!(error instanceof FileHostError)) {
    return { ...failure, serviceMessage: null, httpStatus: null, window: null, retryAfterMs: null, request: null }
  }
  return {
    ...failure,
    hint: fileHint(error) ?? connectionHint(error) ?? waitHint(error) ?? error.hint ?? usualHints[error.code] ?? null,
    serviceMessage: error.serviceMessage ?? null,
    httpStatus: error.status ?? null,
    window: error instanceof RateLimitError ? (error.window ?? null) : null,
    retryAfterMs: isRefusal(error) ? (error.retryAfterMs ?? null) : null,
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

function isRefusal(error: FileHostError): error is RateLimitError | UnavailableError {
  return error instanceof RateLimitError || error instanceof UnavailableError
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
  return `Try again ${when}${canWaitLonger ? ', or raise --max-wait' : ''}`
}

/** What to do in the command line, where the library has no hint. */
const usualHints: Readonly<Partial<Record<FileHostError['code'], string>>> = {
  'authentication-failed': 'Run fh login with a valid key',
  'access-denied': 'The API key page of the website shows suspensions and the address allowlist',
  'not-found': 'fh list shows all uploads',
  'source-too-large': 'If the service accepts larger files: --max-file-size SIZE, or none',
  timeout: 'Try again later',
  'connection-failed': 'Try again later',
}

/** What to do about a file: its path is taken, or the site of its URL was not reached. */
function fileHint(error: FileHostError): string | undefined {
  const { code, cause } = error
  if (code === 'file-exists') return 'Add --force to replace it, or choose another file'
  if (!(error instanceof SourceError && cause instanceof TransportError)) return undefined
  if (cause.failure === 'untrusted') return 'For an authority of your own: --ca-cert FILE; else check the address'
  const behind = proxyHint(error.message)
  if (behind !== undefined) return behind
  return cause.mayHaveArrived
    ? (error.hint ?? 'Try again later')
    : 'Check the address and the network, or try again later'
}

/** What to do if a proxy did not let a request through; the message names what set it. */
function proxyHint(message: string): string | undefined {
  const place = /through the proxy \S+ \(([^)]*)\): /.exec(message)?.[1]
  if (place === undefined) return undefined
  const problem = message.includes('ECONNREFUSED') ? 'Nothing listens at the proxy' : 'The proxy did not connect'
  return `${problem}: check ${place}, or do without it`
}

/** What to do if no connection was made; undefined if the reason of the system or of TLS does not show it. */
function connectionHint(error: FileHostError): string | undefined {
  if (!(error instanceof ConnectionError)) return undefined
  const { message, cause } = error
  if (cause instanceof TransportError && cause.failure === 'untrusted') {
    return 'For an authority of your own: --ca-cert FILE, or fh config set ca_cert FILE; else check the base URL and the clock'
  }
  if (cause instanceof TransportError && message.includes('speaks TLS on this port')) {
    return 'Begin the base URL with https://'
  }
  if (message.includes('does not speak TLS')) {
    return 'Check the port of the base URL; does it have to begin with http://?'
  }
  const behind = proxyHint(message)
  if (behind !== undefined) return behind
  if (!message.includes('ECONNREFUSED')) return undefined
  const start = /ECONNREFUSED (127\.|::1)/.test(message) ? ' start a local service with fh emulate,' : ''
  return `Nothing listens there: check the base URL and its port,${start} or try again later`
}
