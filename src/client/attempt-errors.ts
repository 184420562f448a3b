import { type NeverFits, neverFitsText } from '../pacing/never-fits.ts'
import type { PacingWait } from '../pacing/pacer.ts'
import { refusalWait } from '../pacing/retry-after.ts'
import type { Attempt } from './attempt.ts'
import {
  ConnectionError,
  type FileHostError,
  OverLimitError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  UnknownOutcomeError,
} from './errors.ts'
import { type AnswerContext, errorOf } from './response.ts'

/** In words why an attempt did not do what it was meant to. */
export function reasonOf(attempt: Attempt): string {
  return attempt.type === 'failed' ? attempt.error.message : `the service answered ${attempt.answer.status}`
}

/** The error a last attempt without success stands for. */
export function attemptError(attempt: Attempt, context: AnswerContext): FileHostError {
  if (attempt.type === 'failed') return connectionError(attempt, context)
  const { answer, refusedBy, askedMs } = attempt
  return errorOf(answer, context, answer.status === 429 ? refusalWait(askedMs, refusedBy).ms : askedMs)
}

/**
 * The error of a call whose next request would have to wait for too long: in the service's words where it has spoken.
 *
 * @param last the attempt before, if there was one
 */
export function waitError(wait: PacingWait, last: Attempt | undefined, context: AnswerContext): FileHostError {
  const { window, source, delayMs } = wait
  if (last?.type === 'answered' && isRefusal(last.answer.status)) return errorOf(last.answer, context, delayMs)
  const { request, baseUrl } = context
  const target = `${request.method} ${baseUrl}${request.path} was not sent`
  const again = `again in ${Math.ceil(delayMs / 1_000)} s, which is longer than the longest wait allowed`
  const unforeseen = 'requests under way will show when'
  const hint = `Try again ${delayMs > 0 ? 'then' : 'once those have ended'}, or allow a longer wait`
  if (source === 'unavailable') {
    const when = delayMs > 0 ? again : `again later; ${unforeseen}`
    const message = `${target}: the service is switched off and may be asked ${when}`
    return new UnavailableError(message, { request, retryAfterMs: delayMs, hint })
  }
  const room = delayMs > 0 ? `has room ${again}` : `has no room yet; ${unforeseen}`
  const message = `${target}: the quota${window ? ` (${window})` : ''} ${room}`
  return new RateLimitError(message, { request, window, retryAfterMs: delayMs, hint })
}

/** The error of a call that costs more than the limits ever allow. */
export function overLimit(reason: NeverFits, { request, baseUrl }: AnswerContext): OverLimitError {
  const what = request.method === 'DELETE' ? 'a deletion' : request.method === 'POST' ? 'an upload' : 'a call'
  const target = `${request.method} ${baseUrl}${request.path} was not sent`
  return new OverLimitError(`${target}: ${neverFitsText(reason, what)}`, {
    request,
    hint: `Give the ${reason.window} a higher limit${reason.reserve > 0 ? ', or lower the reserve' : ''}`,
  })
}

function isRefusal(status: number): boolean {
  return status === 429 || status === 503
}

/** @param reason what came instead of a proof */
export function unknownOutcome(
  reason: string,
  { request }: AnswerContext,
  details: { readonly status?: number | undefined; readonly cause?: unknown } = {},
): UnknownOutcomeError {
  return new UnknownOutcomeError(`The whole file had left this machine, but ${reason}: it may have been stored`, {
    ...details,
    request,
    hint: 'Look at the list before uploading it again',
  })
}

function connectionError({ error, bodyFinished }: Attempt & { type: 'failed' }, context: AnswerContext): FileHostError {
  const { request, baseUrl } = context
  const { message } = error
  if (error.failure === 'timeout') {
    return new TimeoutError(`${request.method} ${baseUrl}${request.path}: ${message}`, { request, cause: error })
  }
  if (!error.mayHaveArrived) {
    const hint =
      error.failure === 'wrong-scheme'
        ? 'Check whether the base URL begins with http:// or https://'
        : error.permanent
          ? 'Trying again will not help: a private authority has to be trusted, a proxy has to let this through'
          : 'Check the base URL and the network, or try again later'
    return new ConnectionError(`Cannot connect to ${baseUrl}: ${message}`, { request, hint, cause: error })
  }
  return new ConnectionError(`${request.method} ${baseUrl}${request.path}: the connection broke: ${message}`, {
    request,
    hint: error.permanent
      ? 'Trying again will not help'
      : bodyFinished
        ? 'Try again later'
        : 'Nothing was stored; the service may refuse a file of this size',
    cause: error,
  })
}
