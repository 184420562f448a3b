import { type NeverFits, neverFitsText, type PacingWait } from '../pacing/pacer.ts'
import { refusalWait } from '../pacing/quota-model/refusals.ts'
import type { FleetProblem } from '../store/fleet-problem.ts'
import type { Attempt } from './attempt.ts'
import {
  ClientClosedError,
  ConnectionError,
  type FileHostError,
  OverLimitError,
  RateLimitError,
  type RequestInfo,
  TimeoutError,
  UnavailableError,
  UnknownOutcomeError,
} from './errors.ts'
import { type AnswerContext, errorOf, target } from './response.ts'
import type { Tried } from './retry.ts'
import type { TransportError } from './transports/transport.ts'

/** The error of a call whose last attempt failed or was refused. */
export function attemptError(attempt: Attempt, context: AnswerContext): FileHostError {
  if (attempt.type === 'failed') {
    if (attempt.source !== undefined) return attempt.source
    const { request, baseUrl } = context
    const where = { request, url: `${baseUrl}${request.path}`, server: baseUrl, hint: hintFor(attempt) }
    return connectionError(attempt.error, where)
  }
  const { answer, refusedBy, askedMs } = attempt
  return errorOf(answer, context, answer.status === 429 ? refusalWait(askedMs, refusedBy).ms : askedMs)
}

/**
 * The error of a call whose next request would have to wait too long: in the service's words if it refused the last.
 * @param limit what the wait is longer than
 */
export function waitError(
  { window, source, delayMs }: PacingWait,
  limit: string,
  last: Attempt | undefined,
  context: AnswerContext,
): FileHostError {
  if (last?.type === 'answered' && [429, 503].includes(last.answer.status))
    return errorOf(last.answer, context, delayMs)
  const { request } = context
  const unsent = `${target(context)} was not sent`
  const then = `in ${Math.max(Math.round(delayMs / 1_000), 1)} s, ${limit}`
  const unforeseen = 'requests under way will show when'
  const hint = `Try again ${delayMs > 0 ? 'then' : 'once those have ended'}, or allow a longer wait`
  if (source === 'unavailable') {
    const message = `${unsent}: the service is switched off and may be asked again ${delayMs > 0 ? then : `later; ${unforeseen}`}`
    return new UnavailableError(message, { request, retryAfterMs: delayMs, hint })
  }
  const room = delayMs > 0 ? `has room ${then}` : `has no room yet; ${unforeseen}`
  const message = `${unsent}: the ${window ? `${window} ` : ''}quota ${room}`
  return new RateLimitError(message, { request, window, retryAfterMs: delayMs, hint })
}

/** The error of a call that costs more than the limits ever allow. */
export function overLimit(reason: NeverFits, context: AnswerContext): OverLimitError {
  const { request } = context
  const what = request.method === 'DELETE' ? 'a deletion' : request.method === 'POST' ? 'an upload' : 'a call'
  return new OverLimitError(`${target(context)} was not sent: ${neverFitsText(reason, what)}`, {
    request,
    hint: `Give the ${reason.window} a higher limit${reason.reserve > 0 ? ', or lower the reserve' : ''}`,
  })
}

/** The error of a call whose quota could not be asked for: what machines share cannot be reached. */
export function ledgerUnreachable(problem: FleetProblem, context: AnswerContext): ConnectionError {
  const { request } = context
  const message = `${target(context)} was not sent: ${problem.message}`
  return new ConnectionError(message, { request, hint: problem.hint, cause: problem })
}

/** The error of a call to a client that is closed. @param what the request */
export function clientClosed(what: string, request?: RequestInfo): ClientClosedError {
  const hint = 'Close a client after its last call, or create another one'
  return new ClientClosedError(`${what} was not sent: the client is closed`, { request, hint })
}

/** @param what came instead of an answer that shows whether the upload was stored, as the beginning of a sentence */
export function unknownOutcome(
  what: string,
  { request }: AnswerContext,
  details: { readonly status: number | undefined; readonly tried: Tried; readonly cause: unknown },
): UnknownOutcomeError {
  return new UnknownOutcomeError(`${what} after the file was sent`, {
    ...details,
    request,
    hint: 'Look at the list before uploading it again',
  })
}

/** How an attempt ended, as the beginning of a sentence. */
export function endInWords(attempt: Attempt): string {
  if (attempt.type === 'answered') return `The service answered ${attempt.answer.status}`
  const { failure, permanent, message } = attempt.error
  if (failure === 'timeout') return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`
  return permanent ? `The connection broke (${message})` : 'The connection broke'
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

function hintFor({ error, end }: Attempt & { type: 'failed' }): string {
  const { failure, permanent, mayHaveArrived } = error
  if (failure === 'wrong-scheme') return 'Check whether the base URL begins with http:// or https://'
  if (!mayHaveArrived) {
    return permanent
      ? 'Trying again will not help: a private authority has to be trusted, a proxy has to let this through'
      : 'Check the base URL and the network, or try again later'
  }
  if (permanent) return NO_TRY_HELPS
  return end.bodyFinished ? 'Try again later' : 'Nothing was stored; the service may refuse a file of this size'
}
