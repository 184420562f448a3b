import { steadyMs } from '../clock.ts'
import type { Pacer } from '../pacing/create-pacer.ts'
import { NeverFitsError, type PacingPermit, type PacingWait, WaitTooLongError } from '../pacing/pacer.ts'
import { costOf, keyHeader } from '../protocol/endpoints.ts'
import { ParseError } from '../protocol/resources.ts'
import { StoreError } from '../store/store-error.ts'
import { observer } from '../system/observer.ts'
import { shareSignal } from '../system/signals.ts'
import {
  type AnswerContext,
  type Attempt,
  attemptError,
  fromCache,
  ledgerUnreachable,
  notTheService,
  overLimit,
  refusedBy,
  target,
  unknownOutcome,
  waitError,
} from './call-errors.ts'
import {
  BrokenOffError,
  brokenBy,
  ClientClosedError,
  type FileHostError,
  type RequestInfo,
  UnknownOutcomeError,
} from './errors.ts'
import type { ServiceClock } from './exactly-once/service-clock.ts'
import {
  type Answer,
  askedMs,
  askingCaches,
  type ClientEvent,
  type ExchangeOptions,
  exchange,
  type Freshness,
  isGarbledSuccess,
  isSuccess,
  readAnswer,
  userAgentHeader,
} from './exchange.ts'
import { decideRetry, isFinal, type RetryPolicy } from './retry.ts'
import { type RequestBody, TransportError } from './transports/transport.ts'

/** The body of one attempt, which knows how much of it was sent. */
export interface AttemptBody extends RequestBody {
  /** Whether the last byte was handed over. Until then the service lacks a part, so it cannot have acted on the body. */
  finished(): boolean
  /** Why the source could not be read; undefined if it could. */
  failure(): unknown
  /** Closes the source once the attempt is over, even if the transport has not read to the end. */
  release?(): void
}

/** One call of the API, sent as often as its kind and the retry options allow. */
export interface Call<T> {
  readonly method: string
  /** Below the base URL; may carry a query. */
  readonly path: string
  /** Whether the call may be sent a second time. Does not count for an upload, which has `onUnknown`. Default: true. */
  readonly isRepeatable?: boolean
  /** Whether the answer is to prove something: what a cache had kept is asked for again, and then ends the call. Default: no. */
  readonly isProof?: boolean
  /** Makes the body of one attempt, before the attempt waits for quota. An error that it throws ends the call. */
  readonly body?: (() => AttemptBody | Promise<AttemptBody>) | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before the first attempt, and when another one will follow: the service then has nothing of the call. */
  readonly onWaiting?: (() => void) | undefined
  /** Called with the events of this call; the client's own `onEvent` is called with those of all calls. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  /** Turns the last answer, of any status, into the value of the call. An error that it throws ends the call. */
  readonly read: (result: CallResult) => T
  /**
   * Only for an upload: finds out whether an attempt was stored that has no answer which shows it, or whose answer made
   * `read` throw an {@link UnknownOutcomeError}. Another error that it throws ends the call.
   * @param isFinal whether another attempt would be answered in the same way
   * @returns undefined if the upload was not stored; it is then sent again, if the retry options allow that
   */
  readonly onUnknown?: (unknown: UnknownOutcomeError, isFinal: boolean) => Promise<T | undefined>
}

export interface CallResult {
  /** The last answer. */
  readonly answer: Answer
  readonly context: AnswerContext
  /** The error that the answer stands for; undefined for a success. */
  readonly refusal: FileHostError | undefined
  /** Whether the last byte of the body had been handed over before the answer came. */
  readonly bodyFinished: boolean
  /** Whether an earlier attempt may have taken effect: it got no answer, or a 5xx. */
  readonly interrupted: boolean
  /** Whether a cache had kept the answer. */
  readonly isOld: boolean
}

/**
 * Reads a success with one of the protocol's parsers.
 * @throws FileHostError for every other answer; UnexpectedResponseError that names the field that differs from the spec
 */
export function parsed<T>(parse: (value: unknown) => T): (result: CallResult) => T {
  return ({ answer, context, refusal }) => {
    if (refusal !== undefined) throw refusal
    if (answer.json === undefined) throw notTheService(answer, context)
    try {
      return parse(answer.json)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      throw notTheService(answer, context, ` with JSON that is not the service's: ${context.redact(error.message)}`)
    }
  }
}

export interface CallerOptions
  extends Omit<AnswerContext, 'request'>,
    Pick<ExchangeOptions, 'transport' | 'clock' | 'report'> {
  readonly apiKey: string
  readonly pacer: Pacer
  readonly retries: number
  readonly maxWaitMs: number
  readonly userAgent: string | undefined
  /** Whether nothing may be sent any more. */
  readonly isClosed: () => boolean
  /** Learns from every answer. */
  readonly serviceClock: ServiceClock
  readonly freshness: Freshness
}

/**
 * Sends a call: waits for quota, sends again where that is safe, and reports every attempt.
 *
 * @throws ConnectionError or TimeoutError without an answer; RateLimitError or UnavailableError when the next request
 * would have to wait longer than allowed; OverLimitError when no wait is long enough
 */
export type Caller = <T>(call: Call<T>) => Promise<T>

export function callerOf(options: CallerOptions): Caller {
  return async (call) => await new ApiCall(call, options).answer()
}

/** A value; or the call is sent again, or fails with the cause: nothing was stored, or the answer cannot be read. */
type Ending<T> = { readonly value: T } | { readonly reason: string; readonly cause: unknown }

/** One call of the API and its attempts, whose waits for quota together last at most `maxWaitMs`. */
class ApiCall<T> {
  readonly #call: Call<T>
  readonly #options: CallerOptions
  readonly #policy: RetryPolicy
  readonly #request: RequestInfo
  readonly #context: AnswerContext
  readonly #report: (event: ClientEvent) => void
  #maxWaitMs: number
  #wasInterrupted = false
  #hasAskedAgain = false
  #last: Attempt | undefined

  constructor(call: Call<T>, options: CallerOptions) {
    const { onUnknown, isRepeatable = true } = call
    const { baseUrl, redact, whose, retries } = options
    const observe = observer('onEvent of a call', call.onEvent)
    this.#call = call
    this.#options = options
    this.#policy = { repeatable: onUnknown ? 'unless-stored' : isRepeatable ? 'always' : 'never', retries }
    this.#request = { method: call.method, path: call.path.replace(/\?.*$/s, '') }
    this.#context = { request: this.#request, baseUrl, redact, whose }
    this.#report = (event) => {
      options.report(event)
      observe(event)
    }
    this.#maxWaitMs = options.maxWaitMs
  }

  /** Counts failures, waits between attempts and reports each retry. */
  async answer(): Promise<T> {
    const { onWaiting, signal } = this.#call
    shareSignal(signal)
    onWaiting?.()
    let failures = 0
    for (let number = 1; ; number += 1) {
      const attempt = await this.#send(number)
      const decision = decideRetry(attempt, failures, this.#policy, Math.random())
      let [reason, delayMs] = [attempt.reason, 0]
      if (decision.type === 'again') {
        delayMs = decision.delayMs
      } else {
        const ending = await this.#finish(attempt, decision.type === 'unknown')
        if ('value' in ending) return ending.value
        if (failures >= this.#policy.retries) throw ending.cause
        reason = ending.reason
      }
      // The pacer reports a wait for quota itself.
      const isFailure = decision.type !== 'again' || decision.cause === 'failure'
      failures += Number(isFailure)
      if (isFailure) this.#report({ type: 'retry', request: this.#request, attempt: number, delayMs, reason })
      onWaiting?.()
      if (delayMs > 0) await this.#options.clock.sleep(delayMs, signal)
    }
  }

  /** Sends once and reads the answer to its end. In every case it tells the pacer how the attempt ended. */
  async #send(number: number): Promise<Attempt> {
    const { isClosed, clock } = this.#options
    const last = this.#last
    this.#wasInterrupted ||=
      last?.type === 'failed' ? last.error.mayHaveArrived : last !== undefined && last.status >= 500
    if (isClosed()) throw new ClientClosedError(target(this.#context), this.#request)
    // Made before the wait: a source that cannot be read must neither wait for units nor hold them.
    const body = await this.#call.body?.()
    const permit = await this.#takeTurn()
    try {
      this.#last = await this.#answered(number, body, permit)
      return this.#last
    } catch (error) {
      const unsent = error instanceof TransportError && !error.mayHaveArrived
      await permit.complete(unsent ? { type: 'not-sent' } : { type: 'unanswered', at: clock.now() })
      this.#last = this.#failed(error, number, body)
      return this.#last
    } finally {
      body?.release?.()
    }
  }

  /** @throws RateLimitError or UnavailableError when the wait is too long; OverLimitError when none is long enough */
  async #takeTurn(): Promise<PacingPermit> {
    const { method, path } = this.#request
    const { clock, pacer } = this.#options
    const maxWaitMs = this.#maxWaitMs
    const askedAt = steadyMs(clock)
    const onWait = (wait: PacingWait) => this.#report({ type: 'wait', request: this.#request, ...wait })
    try {
      const permit = await pacer.acquire({ cost: costOf(method, path), maxWaitMs, signal: this.#call.signal, onWait })
      this.#maxWaitMs = Math.max(maxWaitMs - (steadyMs(clock) - askedAt), 0)
      return permit
    } catch (error) {
      if (error instanceof NeverFitsError) throw overLimit(error.reason, this.#context)
      if (error instanceof StoreError && error.isOfRedis) throw ledgerUnreachable(error, this.#context)
      if (!(error instanceof WaitTooLongError)) throw error
      throw waitError(error.wait, this.#options.maxWaitMs, this.#last, this.#context)
    }
  }

  async #answered(number: number, body: AttemptBody | undefined, permit: PacingPermit): Promise<Attempt> {
    const { path, signal, isProof } = this.#call
    const { baseUrl, freshness, serviceClock } = this.#options
    const request = this.#request
    const sent = {
      method: request.method,
      url: `${baseUrl}${path}`,
      headers: this.#headers(),
      ...(body && { body }),
      ...(signal && { signal }),
    }
    const judge = freshness.begin()
    const how = { ...this.#options, request, report: this.#report, attempt: number }
    const { response, at, durationMs, rates } = await exchange(sent, how)
    const isOld = judge(response.headers)
    if (!isOld && rates.serverNow !== undefined) serviceClock.told(rates.serverNow, durationMs)
    const answer = await readAnswer(response)
    const { status, error } = answer
    const bodyFinished = body?.finished() ?? true
    const report = isOld ? {} : rates
    await permit.complete({
      type: 'answered',
      at,
      status,
      report,
      refusedBy: refusedBy(answer),
      holdMs: askedMs(answer),
    })
    const isNoProof = isOld && isProof === true
    const reason = isNoProof ? 'a cache answered with what it had kept' : `the service answered ${status}`
    return { type: 'answered', status, bodyFinished, shape: error.shape, isNoProof, answer, isOld, reason }
  }

  /** @throws what is neither a failure of the connection nor a source that broke off */
  #failed(error: unknown, number: number, body: AttemptBody | undefined): Attempt {
    const thrown = body?.failure() ?? error
    const source = thrown instanceof BrokenOffError ? thrown : undefined
    const failure = brokenBy(thrown)
    if (failure === undefined) throw source?.cause ?? thrown
    const redacted = withoutKey(failure, this.#options.redact)
    const { message } = source ?? redacted
    this.#report({ type: 'failure', request: this.#request, attempt: number, message })
    const { failure: kind, permanent } = redacted
    const bodyFinished = body?.finished() ?? true
    return { type: 'failed', failure: kind, permanent, bodyFinished, error: redacted, source, reason: message }
  }

  #headers(): Record<string, string> {
    return {
      [keyHeader]: this.#options.apiKey,
      // Without it a stock framework answers errors with HTML or a redirect.
      accept: 'application/json',
      ...askingCaches,
      // Compression saves nothing on small answers, and a compressed one that is cut short is unreadable.
      'accept-encoding': 'identity',
      'user-agent': userAgentHeader(this.#options.userAgent),
    }
  }

  /**
   * Ends the call after an attempt that is not repeated.
   * @param isUnknown whether the call is an upload that may have been stored
   */
  async #finish(attempt: Attempt, isUnknown: boolean): Promise<Ending<T>> {
    const { onUnknown, read } = this.#call
    let result: CallResult | undefined
    try {
      if (isUnknown) throw unknownOutcome(attempt, this.#context)
      result = this.#result(attempt)
      return { value: read(result) }
    } catch (error) {
      // A list that is garbled on its way would leave an upload unknown.
      const isGarbled = this.#request.method === 'GET' && result !== undefined && isGarbledSuccess(result.answer)
      if (isGarbled && !this.#hasAskedAgain) {
        this.#hasAskedAgain = true
        return { reason: 'the answer cannot be read', cause: error }
      }
      if (!(onUnknown && error instanceof UnknownOutcomeError)) throw error
      // Whether another attempt would end in the same way; a success may be one that cannot be read.
      const endsAlike = result === undefined ? isFinal(attempt) : !isGarbledSuccess(result.answer)
      const value = await onUnknown(error, endsAlike)
      if (value !== undefined) return { value }
      // It is not the reason why the next attempt may not be sent.
      this.#last = undefined
      const { cause } = error
      const message = cause instanceof Error ? cause.message : String(cause)
      return { reason: `not stored, as the list shows: ${message}`, cause }
    }
  }

  /** @throws ConnectionError or TimeoutError for an attempt without an answer; NoProofError where one proves nothing */
  #result(attempt: Attempt): CallResult {
    const context = this.#context
    if (attempt.type === 'failed') throw attemptError(attempt, context)
    const { answer, isOld, isNoProof, bodyFinished } = attempt
    if (isNoProof) throw fromCache(answer, context)
    const refusal = isSuccess(answer) ? undefined : attemptError(attempt, context)
    return { answer, context, refusal, bodyFinished, isOld, interrupted: this.#wasInterrupted }
  }
}

/** Redacted here, because a transport's message appears in events, messages and causes. */
function withoutKey(error: TransportError, redact: (text: string) => string): TransportError {
  const message = redact(error.message)
  const { failure, permanent } = error
  return message === error.message ? error : new TransportError(failure, message, { permanent })
}
