import type { Clock } from '../clock.ts'
import type { PacingPermit } from '../pacing/pacer.ts'
import { longestUndatedMs } from '../pacing/quota-model/refusals.ts'
import { parseRetryAfter } from '../pacing/rate-headers.ts'
import { keyHeader } from '../protocol/endpoints.ts'
import { rateHeaders, refusingWindow, type WindowName } from '../protocol/rate-limits.ts'
import { BrokenOffError, brokenBy, type RequestInfo, type SourceError } from './errors.ts'
import type { ClientEvent } from './events.ts'
import { type Answer, askingCaches, exchange, readAnswer, userAgentHeader } from './exchange.ts'
import type { Freshness } from './freshness.ts'
import type { EndedAttempt } from './retry-loop.ts'
import { type RequestBody, type Transport, TransportError } from './transports/transport.ts'

/** The body of one attempt, which knows how much of it was sent. */
export interface AttemptBody extends RequestBody {
  /** Whether the last byte was handed over. Until then the service lacks a part, so it cannot have acted on the body. */
  finished(): boolean
  /** Why the source could not be read; undefined if it could. */
  failure(): unknown
  /** Closes the source once the attempt is over, even if the transport has not read to the end. */
  release?(): void
}

export interface AttemptRequest {
  readonly request: RequestInfo
  readonly url: string
  /** Counted from 1. */
  readonly number: number
  readonly body: AttemptBody | undefined
  readonly signal: AbortSignal | undefined
  readonly permit: PacingPermit
  /** Whether the answer is to prove something, so that one that a cache had kept is none. */
  readonly isProof: boolean
}

export type Attempt = EndedAttempt &
  (
    | {
        readonly type: 'answered'
        readonly answer: Answer
        /** Whether a cache had kept it. */
        readonly isOld: boolean
        /** The window that the text of a 429 names. */
        readonly refusedBy: WindowName | undefined
        /** The parsed Retry-After. */
        readonly askedMs: number | undefined
      }
    | {
        readonly type: 'failed'
        readonly error: TransportError
        /** The source that broke off, where it was not the connection to the service. */
        readonly source?: SourceError
      }
  )

export interface AttemptOptions {
  readonly apiKey: string
  readonly transport: Transport
  readonly clock: Clock
  readonly userAgent: string | undefined
  readonly report: (event: ClientEvent) => void
  /**
   * Called when an answer's headers are in.
   * @param serverNow its Date header, in epoch milliseconds
   * @param durationMs the time since the request was sent
   */
  readonly onServiceTime: (serverNow: number, durationMs: number) => void
  /** The service's time now as its answers have shown it, epoch milliseconds; undefined while none has. */
  readonly serviceNow: () => number | undefined
  readonly redact: (text: string) => string
  readonly freshness: Freshness
}

/** Sends once and reads the answer to its end. In every case it tells the pacer how the attempt ended. */
export async function makeAttempt(attempt: AttemptRequest, options: AttemptOptions): Promise<Attempt> {
  try {
    const { answer, at, report, isOld } = await sendAndRead(attempt, options)
    const { status } = answer
    const refusedBy = status === 429 ? refusingWindow(answer.error.message ?? '') : undefined
    const retryAfter = answer.headers[rateHeaders.retryAfter.toLowerCase()]
    const undated = { serviceNow: options.serviceNow(), now: at, longestMs: longestUndatedMs(status, refusedBy) }
    const askedMs = parseRetryAfter(retryAfter, answer.headers['date'], undated)
    const bodyFinished = attempt.body?.finished() ?? true
    await attempt.permit.complete({ type: 'answered', at, status, report, refusedBy, holdMs: askedMs })
    const isNoProof = isOld && attempt.isProof
    const end = { type: 'answered', status, bodyFinished, shape: answer.error.shape, isNoProof } as const
    const reason = isNoProof ? 'a cache answered with what it had kept' : `the service answered ${status}`
    return { type: 'answered', answer, isOld, refusedBy, askedMs, end, reason }
  } catch (error) {
    const unsent = error instanceof TransportError && !error.mayHaveArrived
    await attempt.permit.complete(unsent ? { type: 'not-sent' } : { type: 'unanswered', at: options.clock.now() })
    return failedAttempt(error, attempt, options)
  } finally {
    attempt.body?.release?.()
  }
}

/** @throws what is neither a failure of the connection nor a source that broke off */
function failedAttempt(error: unknown, { request, number, body }: AttemptRequest, options: AttemptOptions): Attempt {
  const thrown = body?.failure() ?? error
  const source = thrown instanceof BrokenOffError ? thrown : undefined
  const failure = brokenBy(thrown)
  if (failure === undefined) throw source?.cause ?? thrown
  const redacted = withoutKey(failure, options.redact)
  const { permanent } = redacted
  const { message } = source ?? redacted
  options.report({ type: 'failure', request, attempt: number, message })
  const end = { type: 'failed', failure: redacted.failure, permanent, bodyFinished: body?.finished() ?? true } as const
  return { type: 'failed', error: redacted, end, reason: message, ...(source && { source }) }
}

/** Redacted here, because a transport's message appears in events, messages and causes. */
function withoutKey(error: TransportError, redact: (text: string) => string): TransportError {
  const message = redact(error.message)
  const { failure, permanent } = error
  return message === error.message ? error : new TransportError(failure, message, { permanent })
}

async function sendAndRead({ request, url, number, body, signal }: AttemptRequest, options: AttemptOptions) {
  const sent = {
    method: request.method,
    url,
    headers: requestHeaders(options),
    ...(body && { body }),
    ...(signal && { signal }),
  }
  const judge = options.freshness.begin()
  const { response, at, durationMs, rates } = await exchange(sent, { ...options, request, attempt: number })
  const isOld = judge(response.headers)
  if (!isOld && rates.serverNow !== undefined) options.onServiceTime(rates.serverNow, durationMs)
  return { answer: await readAnswer(response), at, report: isOld ? {} : rates, isOld }
}

function requestHeaders({ apiKey, userAgent }: AttemptOptions): Record<string, string> {
  return {
    [keyHeader]: apiKey,
    // Without it a stock framework answers errors with HTML or a redirect.
    accept: 'application/json',
    ...askingCaches,
    // Compression saves nothing on small answers, and a compressed one that is cut short is unreadable.
    'accept-encoding': 'identity',
    'user-agent': userAgentHeader(userAgent),
  }
}
