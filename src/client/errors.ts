import { argumentErrorCodes, CodedError } from '../checks/coded-error.ts'
import type { WindowName } from '../protocol/rate-limits.ts'
import type { Upload } from '../protocol/resources.ts'
import type { UploadIntent } from './exactly-once/candidates.ts'
import { TransportError, transportFailures } from './transports/transport.ts'

/** What was wrong with a file or a stream. */
export type SourceProblem = (typeof sourceProblems)[number]

const sourceProblems = [
  'missing',
  'unreadable',
  'directory',
  'empty',
  'changed',
  'unsupported-type',
  'too-large',
  'spent',
] as const

/** Why a file could not be downloaded. */
type DownloadCode = (typeof downloadCodes)[number]

const downloadCodes = ['file-exists', 'file-unwritable', 'stream-failed', 'size-mismatch', 'no-file-address'] as const

/** The codes of failed calls. */
type CallErrorCode = (typeof callErrorCodes)[number]

const callErrorCodes = [
  'authentication-failed',
  'access-denied',
  'not-found',
  'validation-failed',
  'rate-limited',
  'over-limit',
  'unavailable',
  'unexpected-response',
  'connection-failed',
  'timeout',
  ...sourceProblems.map((problem) => `source-${problem}` as const),
  ...downloadCodes,
  'outcome-unknown',
  'client-closed',
] as const

/**
 * Every `code` of an error of this library; a new release may add to them. Those of a transport's errors begin with
 * `transport-`; `invalid-value` and `unknown-option` are those of the `TypeError` and the `RangeError` of a wrong argument;
 * `not-for-browsers` is that of every call where a bundler built for a browser.
 */
export type FileHostErrorCode = (typeof fileHostErrorCodes)[number]

export const fileHostErrorCodes = [
  ...callErrorCodes,
  ...transportFailures.map((failure) => `transport-${failure}` as const),
  ...argumentErrorCodes,
  'not-for-browsers',
] as const

/** The request that an error belongs to; the path without its query, which might hold a key. */
export interface RequestInfo {
  readonly method: string
  readonly path: string
}

export interface ErrorDetails {
  readonly request?: RequestInfo | undefined
  readonly status?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly hint?: string | undefined
  readonly cause?: unknown
  readonly fields?: Readonly<Record<string, readonly string[]>> | undefined
  readonly window?: WindowName | undefined
  readonly retryAfterMs?: number | undefined
  readonly excerpt?: string | undefined
  readonly candidates?: readonly Upload[] | undefined
  readonly intent?: UploadIntent | undefined
}

/**
 * The family of this library's errors. An abort by the caller stays the platform's `AbortError`; wrong arguments are
 * `TypeError` and `RangeError`, with a `code` too. As JSON, an error has its name, message, code, hint and other fields.
 */
export abstract class FileHostError extends CodedError {
  abstract override readonly code: CallErrorCode
  readonly request: RequestInfo | undefined
  /** The HTTP status; undefined without an answer. */
  readonly status: number | undefined
  /** The service's own words, verbatim. */
  readonly serviceMessage: string | undefined
  /** What to do next. */
  readonly hint: string | undefined

  constructor(message: string, { request, status, serviceMessage, hint, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.request = request
    this.status = status
    this.serviceMessage = serviceMessage
    this.hint = hint
  }
}

/** 401: the key is missing or unknown to the service (spec 5.4). Never retried. */
export class AuthenticationError extends FileHostError {
  override readonly name = 'AuthenticationError'
  readonly code = 'authentication-failed'
}

/** 403: the account is suspended, or its allowlist lacks the address (spec 5.5, 5.6). Never retried. */
export class AccessDeniedError extends FileHostError {
  override readonly name = 'AccessDeniedError'
  readonly code = 'access-denied'
}

/** 404: the account has no such upload (spec 4.3). */
export class NotFoundError extends FileHostError {
  override readonly name = 'NotFoundError'
  readonly code = 'not-found'
}

/** 413 and 422: the service refused the file (spec 7.2). */
export class ValidationError extends FileHostError {
  override readonly name = 'ValidationError'
  readonly code = 'validation-failed'
  /** The service's messages by field; empty if it gave none. */
  readonly fields: Readonly<Record<string, readonly string[]>>

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.fields = details.fields ?? {}
  }
}

/** 429 (spec 8.5), or no room in the ledger: the wait is longer than the caller allows. */
export class RateLimitError extends FileHostError {
  override readonly name = 'RateLimitError'
  readonly code = 'rate-limited'
  /** The window that refused; undefined if neither the service nor the ledger named it. */
  readonly window: WindowName | undefined
  /** How long to wait before trying again. */
  readonly retryAfterMs: number

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.window = details.window
    this.retryAfterMs = details.retryAfterMs ?? 0
  }
}

/** The call costs more units than the client's limits ever allow: nothing was sent. */
export class OverLimitError extends FileHostError {
  override readonly name = 'OverLimitError'
  readonly code = 'over-limit'
}

/** 503: the service has disabled its API (spec 5.7) for longer than the caller allows to wait. */
export class UnavailableError extends FileHostError {
  override readonly name = 'UnavailableError'
  readonly code = 'unavailable'
  /** How long the service asks to wait; undefined if it did not say. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.retryAfterMs = details.retryAfterMs
  }
}

/** An answer that the spec does not know: a redirect, HTML, another status, a missing field. */
export class UnexpectedResponseError extends FileHostError {
  override readonly name = 'UnexpectedResponseError'
  readonly code = 'unexpected-response'
  /** The start of the body, the key redacted. */
  readonly excerpt: string

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.excerpt = details.excerpt ?? ''
  }
}

/** An answer in the service's own form that proves nothing: a cache had kept it, or it is another page than the one asked for. */
export class NoProofError extends UnexpectedResponseError {}

/** The service could not be reached, or the connection broke. */
export class ConnectionError extends FileHostError {
  override readonly name = 'ConnectionError'
  readonly code = 'connection-failed'
}

/** No byte moved in either direction for too long. */
export class TimeoutError extends FileHostError {
  override readonly name = 'TimeoutError'
  readonly code = 'timeout'
}

/** The file or stream cannot be uploaded; nothing was stored. */
export class SourceError extends FileHostError {
  override readonly name = 'SourceError'
  readonly code: `source-${SourceProblem}`

  constructor(problem: SourceProblem, message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.code = `source-${problem}`
  }
}

/** The site of a URL broke off in the middle of the file, which may be asked for again. */
export class BrokenOffError extends SourceError {}

/** The failure of a connection behind an error: to the service, or to the site of a URL that is uploaded. */
export function brokenBy(error: unknown): TransportError | undefined {
  const failure = error instanceof BrokenOffError ? error.cause : error
  return failure instanceof TransportError ? failure : undefined
}

/** The file cannot be downloaded, or not to where it is to go. */
export class DownloadError extends FileHostError {
  override readonly name = 'DownloadError'
  readonly code: DownloadCode

  constructor(code: DownloadCode, message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.code = code
  }
}

/** The client was closed before: nothing was sent. */
export class ClientClosedError extends FileHostError {
  override readonly name = 'ClientClosedError'
  readonly code = 'client-closed'

  constructor(what: string, request?: RequestInfo) {
    const hint = 'Close a client after its last call, or create another one'
    super(`${what} was not sent: the client is closed`, { request, hint })
  }
}

/** The whole file was sent, and neither an answer nor the list tells whether it was stored: it is not sent again. */
export class UnknownOutcomeError extends FileHostError {
  override readonly name = 'UnknownOutcomeError'
  readonly code = 'outcome-unknown'
  /** The uploads in the list that may be this one; empty if the list could not be read. */
  readonly candidates: readonly Upload[]
  /** What may have been stored; `client.reconcile` takes it to look again. */
  readonly intent: UploadIntent | undefined

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.candidates = details.candidates ?? []
    this.intent = details.intent
  }
}
