import { type NeverFits, neverFitsText, type PacingWait } from '../pacing/pacer.ts'
import { refusalWait } from '../pacing/quota-model/refusals.ts'
import { endpoints, keyPage } from '../protocol/endpoints.ts'
import { refusingWindow, type WindowName } from '../protocol/rate-limits.ts'
import type { Upload } from '../protocol/resources.ts'
import type { StoreError } from '../store/store-error.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  type ErrorDetails,
  type FileHostError,
  NoProofError,
  NotFoundError,
  OverLimitError,
  RateLimitError,
  type RequestInfo,
  type SourceError,
  TimeoutError,
  UnavailableError,
  UnexpectedResponseError,
  UnknownOutcomeError,
  ValidationError,
} from './errors.ts'
import { type Answer, askedMs } from './exchange.ts'
import type { AttemptEnd } from './retry.ts'
import type { TransportError } from './transports/transport.ts'

/** Characters of a foreign answer that an error shows. */
const EXCERPT_LENGTH = 200

/** Where a request went, for messages. */
export interface AnswerContext {
  readonly request: RequestInfo
  readonly baseUrl: string
  /** Removes the key from a text. */
  readonly redact: (text: string) => string
  /** Where the key comes from, if that is known. */
  readonly whose?: string | undefined
}

/**
 * Checks the body of a successful deletion (spec 4.4); an empty one passes.
 * @throws NotFoundError if the service says that nothing was deleted; UnexpectedResponseError for any other body
 */
export function assertDeleted(answer: Answer, context: AnswerContext): void {
  if (answer.text.trim() === '') return
  if (answer.json === undefined) throw notTheService(answer, context)
  const { deleted } = Object(answer.json)
  if (deleted === false) throw new NotFoundError(`${target(context)}: nothing was deleted`, detailsOf(answer, context))
  if (deleted !== true) throw notTheService(answer, context)
}

/** The error that an answer without success stands for (spec 7). */
export function errorOf(answer: Answer, context: AnswerContext, retryAfterMs?: number): FileHostError {
  const { status, error } = answer
  const { redact, request } = context
  if (status === 404 && !isMissingUpload(answer, request)) return notTheService(answer, context)
  const message = `${target(context)} answered ${status}${error.message ? `: ${redact(error.message)}` : ''}`
  const fields = Object.fromEntries(
    Object.entries(error.fields ?? {}).map(([name, texts]) => [redact(name), texts.map(redact)]),
  )
  const window = refusingWindow(error.message ?? '')
  const hint = keyHint(status, error.message, context)
  const details = { ...detailsOf(answer, context), fields, window, retryAfterMs, hint }
  return errorByStatus(status, message, details) ?? notTheService(answer, context)
}

/**
 * What to do about a key that is refused.
 * @param said the service's own words; a 401 without them comes from another server (spec 5.4)
 */
function keyHint(status: number, said: string | undefined, { baseUrl, whose }: AnswerContext): string | undefined {
  const key = `this key${whose === undefined ? '' : ` (${whose})`}`
  const page = `${baseUrl}${keyPage}`
  if (status === 403) return `${page} shows suspensions and the allowed addresses of ${key}`
  if (status !== 401) return undefined
  return said === undefined ? checkBaseUrl : `The service does not know ${key}. Make one: ${page}`
}

export const checkBaseUrl = 'Check the base URL: is it the address of the service itself?'

/** The one table from statuses to errors. */
const errorsByStatus: Readonly<Record<number, new (message: string, details: ErrorDetails) => FileHostError>> = {
  401: AuthenticationError,
  403: AccessDeniedError,
  404: NotFoundError,
  413: ValidationError,
  422: ValidationError,
  429: RateLimitError,
  503: UnavailableError,
}

/** Undefined for a status that the spec does not know. */
export function errorByStatus(status: number, message: string, details: ErrorDetails): FileHostError | undefined {
  const Kind = errorsByStatus[status]
  return Kind && new Kind(message, details)
}

/** Whether a 404 says that an upload does not exist (spec 7.2). One for an unknown path means a wrong base URL. */
function isMissingUpload({ json, error }: Answer, { path }: RequestInfo): boolean {
  const unknownRoute = /^The route .* could not be found/.test(error.message ?? '')
  return json !== undefined && !unknownRoute && path.startsWith(`${endpoints.list.path}/`)
}

/** The error of an answer that the service does not write. @param what it is instead */
export function notTheService(
  answer: Answer,
  context: AnswerContext,
  what = foundIn(answer, context),
): UnexpectedResponseError {
  return new UnexpectedResponseError(`${target(context)} answered ${answer.status}${what}`, {
    ...detailsOf(answer, context),
    // Redacts first: half a key would not be recognised.
    excerpt: context.redact(answer.text).slice(0, EXCERPT_LENGTH),
    hint: answer.status >= 500 ? 'The service is in trouble; try again later' : checkBaseUrl,
  })
}

function foundIn({ status, headers, excess, error, json, text }: Answer, { redact }: AnswerContext): string {
  const { location, 'content-type': type = '' } = headers
  if (status >= 300 && status < 400 && location !== undefined) return ` with a redirect to ${redact(location)}`
  if (excess !== undefined) return ` with ${excess}`
  if (error.message) return `: ${redact(error.message)}`
  if (json !== undefined) return ''
  if (text.trim() === '') return ' with an empty body'
  return /html/i.test(type) || /^\s*</.test(text) ? ' with an HTML page' : ' with something that is not JSON'
}

/** The error of an answer that a cache had kept, where it was to prove something. */
export function fromCache(answer: Answer, context: AnswerContext): NoProofError {
  return new NoProofError(`${target(context)} was answered from a cache, which proves nothing`, {
    ...detailsOf(answer, context),
    hint: 'A cache before the service ignores Cache-Control: no-cache; it must not keep what the API answers',
  })
}

function detailsOf({ status, error }: Answer, { request, redact }: AnswerContext) {
  return { request, status, serviceMessage: error.message === undefined ? undefined : redact(error.message) }
}

/** The request in messages. */
export function target({ request, baseUrl }: Pick<AnswerContext, 'request' | 'baseUrl'>): string {
  return `${request.method} ${baseUrl}${request.path}`
}

/** An attempt of a call that has ended. */
export type Attempt = Answered | Failed

interface Answered extends Extract<AttemptEnd, { type: 'answered' }> {
  readonly answer: Answer
  /** Whether a cache had kept it. */
  readonly isOld: boolean
  /** For the `retry` event. */
  readonly reason: string
}

interface Failed extends Extract<AttemptEnd, { type: 'failed' }> {
  readonly error: TransportError
  /** The source that broke off, where it was not the connection to the service. */
  readonly source: SourceError | undefined
  readonly reason: string
}

/** The window that the text of a 429 names. */
export function refusedBy({ status, error }: Answer): WindowName | undefined {
  return status === 429 ? refusingWindow(error.message ?? '') : undefined
}

/** The error of a call whose last attempt failed or was refused. */
export function attemptError(attempt: Attempt, context: AnswerContext): FileHostError {
  if (attempt.type === 'failed') {
    if (attempt.source !== undefined) return attempt.source
    const { request, baseUrl } = context
    const where = { request, url: `${baseUrl}${request.path}`, server: baseUrl, hint: hintFor(attempt) }
    return connectionError(attempt.error, where)
  }
  const { answer, status } = attempt
  return errorOf(answer, context, status === 429 ? refusalWait(askedMs(answer), refusedBy(answer)).ms : askedMs(answer))
}

/** The error of a call whose next request would have to wait too long: in the service's words if it refused the last. */
export function waitError(
  { window, source, delayMs }: PacingWait,
  maxWaitMs: number,
  last: Attempt | undefined,
  context: AnswerContext,
): FileHostError {
  if (last?.type === 'answered' && [429, 503].includes(last.status)) return errorOf(last.answer, context, delayMs)
  const { request } = context
  const seconds = Math.max(Math.round(delayMs / 1_000), 1)
  const then =
    delayMs > 0 ? `in ${seconds} s, maxWaitMs is ${maxWaitMs / 1_000} s` : 'once requests under way have ended'
  const details = { request, retryAfterMs: delayMs, hint: 'Try again then, or allow a longer wait' }
  const unsent = `${target(context)} was not sent`
  if (source === 'unavailable') {
    return new UnavailableError(`${unsent}: the service is switched off and may be asked again ${then}`, details)
  }
  const quota = window ? `${window} quota` : 'quota'
  return new RateLimitError(`${unsent}: the ${quota} has room ${then}`, { ...details, window })
}

/** The error of a call that costs more than the limits ever allow. */
export function overLimit(reason: NeverFits, context: AnswerContext): OverLimitError {
  const { request } = context
  const what = request.method === 'DELETE' ? 'a deletion' : request.method === 'POST' ? 'an upload' : 'a call'
  return new OverLimitError(`${target(context)} was not sent: ${neverFitsText(reason, what)}`, {
    request,
    hint: `Give the ${reason.window} a higher limit`,
  })
}

/** The error of a call whose quota could not be asked for: what machines share cannot be reached. */
export function ledgerUnreachable(problem: StoreError, context: AnswerContext): ConnectionError {
  const { request } = context
  const message = `${target(context)} was not sent: ${problem.message}`
  return new ConnectionError(message, { request, hint: problem.hint, cause: problem })
}

/** The error of an upload whose last attempt may have been stored. */
export function unknownOutcome(attempt: Attempt, context: AnswerContext): UnknownOutcomeError {
  const cause = attemptError(attempt, context)
  if (attempt.type === 'answered') {
    return unknownAfter(`The service answered ${attempt.status}`, context, { status: attempt.status, cause })
  }
  const end = attempt.failure === 'timeout' ? 'No answer came' : 'The connection broke'
  return unknownAfter(end, context, { status: undefined, cause })
}

/** @param what came instead of an answer that shows whether the upload was stored, as the beginning of a sentence */
export function unknownAfter(
  what: string,
  { request }: AnswerContext,
  details: { readonly status: number | undefined; readonly cause: unknown },
): UnknownOutcomeError {
  const hint = 'Look at the list before uploading it again'
  return new UnknownOutcomeError(`${what} after the file was sent`, { ...details, request, hint })
}

/** A sentence about uploads that may be the file: at least one. */
export function likelyUploads(candidates: readonly Upload[]): string {
  return `It is probably ${candidates.length === 1 ? '' : 'one of '}${addressesOf(candidates)}`
}

/** A list may have many that look alike. */
const MOST_NAMED = 10

export function addressesOf(uploads: readonly Upload[]): string {
  const named = uploads.slice(0, MOST_NAMED).map(({ url }) => url)
  const more = uploads.length - named.length
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

/**
 * The error of a request without an answer.
 * @param url where the request went
 * @param server what the message names if no connection was made
 */
export function connectionError(
  cause: TransportError,
  { request, url, server, hint }: { request: RequestInfo; url: string; server: string; hint?: string },
): FileHostError {
  const { failure, permanent, mayHaveArrived, message } = cause
  const target = `${request.method} ${url}`
  if (failure === 'timeout') return new TimeoutError(`${target}: ${message}`, { request, cause })
  const words = mayHaveArrived
    ? `${target}: the connection broke: ${message}`
    : `Cannot connect to ${server}: ${message}`
  return new ConnectionError(words, { request, hint: hint ?? (permanent ? NO_TRY_HELPS : undefined), cause })
}

const NO_TRY_HELPS = 'Trying again will not help: check the address, and what stands between here and the server'

function hintFor({ error, bodyFinished }: Failed): string {
  if (error.permanent) return NO_TRY_HELPS
  if (!error.mayHaveArrived) return 'Check the base URL and the network, or try again later'
  return bodyFinished ? 'Try again later' : 'Nothing was stored; the service may refuse a file of this size'
}
