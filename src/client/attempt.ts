import { type Clock, steadyMs } from '../clock.ts'
import type { PacingOutcome, PacingPermit } from '../pacing/pacer.ts'
import { parseRateReport, type RateReport } from '../pacing/rate-report.ts'
import { parseRetryAfter } from '../pacing/retry-after.ts'
import { keyHeader } from '../protocol/endpoints.ts'
import { rateHeaders, refusingWindow, type WindowName } from '../protocol/rate-limits.ts'
import { type Answer, readAnswer } from './answer.ts'
import type { RequestInfo } from './errors.ts'
import type { ClientEvent } from './events.ts'
import { redactHeaders } from './redact.ts'
import type { AttemptEnd } from './retry.ts'
import { sendAbortably } from './transports/send-abortably.ts'
import { type RequestBody, type Transport, TransportError } from './transports/transport.ts'
import { userAgentHeader } from './user-agent.ts'

/** A body that tells how far it got. */
export interface AttemptBody extends RequestBody {
  /**
   * Whether the last byte has been handed over. While this is false the service cannot have received the whole body,
   * so it cannot have acted on it.
   */
  finished(): boolean
  /** Why its source could not be read; undefined where it could. */
  failure(): unknown
  /** The attempt is over: lets go of what is open, whether or not the transport has read to the end. */
  release?(): void
}

/** What one attempt sends. */
export interface AttemptRequest {
  readonly request: RequestInfo
  readonly url: string
  /** Counted from 1. */
  readonly number: number
  readonly body: AttemptBody | undefined
  readonly signal: AbortSignal | undefined
  readonly permit: PacingPermit
}

export type Attempt =
  | {
      readonly type: 'answered'
      readonly answer: Answer
      /** Of a 429: the window its text names. */
      readonly refusedBy: WindowName | undefined
      /** The parsed Retry-After. */
      readonly askedMs: number | undefined
      readonly bodyFinished: boolean
    }
  | { readonly type: 'failed'; readonly error: TransportError; readonly bodyFinished: boolean }

export interface AttemptOptions {
  readonly apiKey: string
  readonly transport: Transport
  readonly clock: Clock
  readonly userAgent: string | undefined
  readonly report: (event: ClientEvent) => void
  readonly redact: (text: string) => string
}

/** Makes one attempt: sends, reads the answer to its end, and tells the pacer how it ended, whatever happened. */
export async function makeAttempt(attempt: AttemptRequest, options: AttemptOptions): Promise<Attempt> {
  try {
    const { answer, at, report } = await sendAndRead(attempt, options)
    const refusedBy = answer.status === 429 ? refusingWindow(answer.error.message ?? '') : undefined
    const retryAfter = answer.headers[rateHeaders.retryAfter.toLowerCase()]
    const askedMs = parseRetryAfter(retryAfter, answer.headers['date'], at)
    const bodyFinished = attempt.body?.finished() ?? true
    const answered: Attempt = { type: 'answered', answer, refusedBy, askedMs, bodyFinished }
    await attempt.permit.complete(pacingOutcome(answered, at, report))
    return answered
  } catch (error) {
    const unsent = error instanceof TransportError && !error.mayHaveArrived
    await attempt.permit.complete(unsent ? { type: 'not-sent' } : { type: 'unanswered', at: options.clock.now() })
    const failure = attempt.body?.failure() ?? error
    if (!(failure instanceof TransportError)) throw failure
    const told = withoutKey(failure, options.redact)
    options.report({ type: 'failure', request: attempt.request, attempt: attempt.number, message: told.message })
    return { type: 'failed', error: told, bodyFinished: attempt.body?.finished() ?? true }
  } finally {
    attempt.body?.release?.()
  }
}

/** Once and for all: what a transport says of its trouble is passed on in events, messages and causes. */
function withoutKey(error: TransportError, redact: (text: string) => string): TransportError {
  const message = redact(error.message)
  const { failure, permanent } = error
  return message === error.message ? error : new TransportError(failure, message, { permanent })
}

async function sendAndRead({ request, url, number, body, signal }: AttemptRequest, options: AttemptOptions) {
  const { clock, redact, report } = options
  const headers = requestHeaders(options)
  report({ type: 'request', request, attempt: number, headers: redactHeaders(headers, redact) })
  const startedAt = steadyMs(clock)
  const response = await sendAbortably(options.transport, {
    method: request.method,
    url,
    headers,
    ...(body && { body }),
    ...(signal && { signal }),
  })
  const at = clock.now()
  const rates = parseRateReport(response.headers, at)
  report({
    type: 'response',
    request,
    attempt: number,
    status: response.status,
    headers: redactHeaders(response.headers, redact),
    report: rates,
    durationMs: steadyMs(clock) - startedAt,
  })
  return { answer: await readAnswer(response), at, report: rates }
}

function requestHeaders({ apiKey, userAgent }: AttemptOptions): Record<string, string> {
  return {
    [keyHeader]: apiKey,
    // Without this a stock framework answers errors with HTML or a redirect.
    accept: 'application/json',
    // Small answers gain nothing by it, and one that is cut short could not be read at all.
    'accept-encoding': 'identity',
    'user-agent': userAgentHeader(userAgent),
  }
}

function pacingOutcome(
  { answer, refusedBy, askedMs }: Attempt & { type: 'answered' },
  at: number,
  report: RateReport,
): PacingOutcome {
  return { type: 'answered', at, status: answer.status, report, refusedBy, holdMs: askedMs }
}

/** What counts of an attempt when it is decided whether to repeat it. */
export function toAttemptEnd(attempt: Attempt): AttemptEnd {
  if (attempt.type === 'failed') {
    const { failure, permanent } = attempt.error
    return { type: 'failed', failure, permanent, bodyFinished: attempt.bodyFinished }
  }
  const { answer, bodyFinished } = attempt
  return { type: 'answered', status: answer.status, bodyFinished, serviceBody: answer.error.shape === 'error' }
}
