import type { WindowName } from '../protocol/rate-limits.ts'
import type { Upload } from '../protocol/resources.ts'
import type { UploadIntent } from './exactly-once/upload-intent.ts'

/** The request an error belongs to; the path without its query, where a key might stand. */
export interface RequestInfo {
  readonly method: string
  readonly path: string
}

interface ErrorDetails {
  readonly request?: RequestInfo | undefined
  readonly status?: number | undefined
  readonly serviceMessage?: string | undefined
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/**
 * What all errors of this library have in common. A caller's abort is not among them: it stays the platform's
 * `AbortError`; wrong arguments are `TypeError` and `RangeError`.
 */
export abstract class FileHostError extends Error {
  /** Stable and made for programs: `rate-limited`, `not-found`, … */
  abstract readonly code: string
  readonly request: RequestInfo | undefined
  /** The HTTP status, where the service answered. */
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

/** 401: no key, or one the service does not know (spec 5.4). Never retried. */
export class AuthenticationError extends FileHostError {
  override readonly name = 'AuthenticationError'
  readonly code = 'authentication-failed'
}

/** 403: the account is suspended or the address not on its allowlist (spec 5.5, 5.6). Never retried. */
export class AccessDeniedError extends FileHostError {
  override readonly name = 'AccessDeniedError'
  readonly code = 'access-denied'
}

/** 404: no such upload on this account (spec 4.3). */
export class NotFoundError extends FileHostError {
  override readonly name = 'NotFoundError'
  readonly code = 'not-found'
}

/** 413 and 422: the service refused the file (spec 7.2). */
export class ValidationError extends FileHostError {
  override readonly name = 'ValidationError'
  readonly code = 'validation-failed'
  /** The service's messages by field; empty where it gave none. */
  readonly fields: Readonly<Record<string, readonly string[]>>

  constructor(message: string, details: ErrorDetails & { fields?: Readonly<Record<string, readonly string[]>> }) {
    super(message, details)
    this.fields = details.fields ?? {}
  }
}

/** 429 (spec 8.5), where the wait it asks for is longer than the caller allows. */
export class RateLimitError extends FileHostError {
  override readonly name = 'RateLimitError'
  readonly code = 'rate-limited'
  /** The window that refused, where the service or the ledger named it. */
  readonly window: WindowName | undefined
  /** How long to wait before trying again. */
  readonly retryAfterMs: number

  constructor(message: string, details: ErrorDetails & { window?: WindowName | undefined; retryAfterMs: number }) {
    super(message, details)
    this.window = details.window
    this.retryAfterMs = details.retryAfterMs
  }
}

/** A call costs more units than the limits the client was given ever allow: nothing was sent. */
export class OverLimitError extends FileHostError {
  override readonly name = 'OverLimitError'
  readonly code = 'over-limit'
}

/** 503: the API is disabled on the service's side (spec 5.7), longer than the caller is willing to wait. */
export class UnavailableError extends FileHostError {
  override readonly name = 'UnavailableError'
  readonly code = 'unavailable'
  /** How long the service asks to wait, where it said. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: ErrorDetails & { retryAfterMs?: number | undefined }) {
    super(message, details)
    this.retryAfterMs = details.retryAfterMs
  }
}

/** An answer that is not what the spec promises: a redirect, HTML, a status of its own, a field missing. */
export class UnexpectedResponseError extends FileHostError {
  override readonly name = 'UnexpectedResponseError'
  readonly code = 'unexpected-response'
  /** The start of the body, the key redacted. */
  readonly excerpt: string

  constructor(message: string, details: ErrorDetails & { excerpt?: string } = {}) {
    super(message, details)
    this.excerpt = details.excerpt ?? ''
  }
}

/** The service could not be reached, or the connection broke. */
export class ConnectionError extends FileHostError {
  override readonly name = 'ConnectionError'
  readonly code = 'connection-failed'
}

/** Nothing moved in either direction for too long. */
export class TimeoutError extends FileHostError {
  override readonly name = 'TimeoutError'
  readonly code = 'timeout'
}

export type SourceProblem =
  | 'missing'
  | 'unreadable'
  | 'directory'
  | 'empty'
  | 'changed'
  | 'unsupported-type'
  | 'too-large'
  | 'spent'

/** The file or stream to be uploaded is at fault; nothing was stored. */
export class SourceError extends FileHostError {
  override readonly name = 'SourceError'
  readonly code: `source-${SourceProblem}`

  constructor(problem: SourceProblem, message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.code = `source-${problem}`
  }
}

/**
 * The whole file was sent, no answer proves whether it was stored, and the list does not tell either: it may exist, so it
 * is not sent again.
 */
export class UnknownOutcomeError extends FileHostError {
  override readonly name = 'UnknownOutcomeError'
  readonly code = 'outcome-unknown'
  /** The uploads in the list that may be it; empty where the list could not be read. */
  readonly candidates: readonly Upload[]
  /** What may have been stored; `client.settle` takes it to look again. */
  readonly intent: UploadIntent | undefined

  constructor(
    message: string,
    details: ErrorDetails & { candidates?: readonly Upload[]; intent?: UploadIntent | undefined } = {},
  ) {
    super(message, details)
    this.candidates = details.candidates ?? []
    this.intent = details.intent
  }
}
