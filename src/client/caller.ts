import { observer } from '../checks/observer.ts'
import { steadyMs } from '../clock.ts'
import type { Pacer } from '../pacing/create-pacer.ts'
import { NeverFitsError, type PacingPermit, type PacingWait, WaitTooLongError } from '../pacing/pacer.ts'
import { costOf } from '../protocol/endpoints.ts'
import { FleetProblem } from '../store/fleet-problem.ts'
import { type Attempt, type AttemptBody, type AttemptOptions, makeAttempt } from './attempt.ts'
import {
  attemptError,
  clientClosed,
  endInWords,
  ledgerUnreachable,
  overLimit,
  unknownOutcome,
  waitError,
} from './attempt-errors.ts'
import { type FileHostError, type RequestInfo, UnknownOutcomeError } from './errors.ts'
import type { ClientEvent } from './events.ts'
import { type Answer, isGarbled, isSuccess } from './exchange.ts'
import { type AnswerContext, fromCache, parseAnswer, target } from './response.ts'
import { isFinal, type Tried } from './retry.ts'
import { type Ending, repeatCall } from './retry-loop.ts'

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
  readonly tried: Tried
}

/** Reads a success with one of the protocol's parsers. @throws FileHostError for every other answer */
export function parsed<T>(parse: (value: unknown) => T): (result: CallResult) => T {
  return ({ answer, context, refusal }) => {
    if (refusal !== undefined) throw refusal
    return parseAnswer(answer, parse, context)
  }
}

export interface CallerOptions extends AttemptOptions {
  readonly baseUrl: string
  readonly pacer: Pacer
  readonly retries: number
  readonly maxWaitMs: number
  /** Whether nothing may be sent any more. */
  readonly isClosed: () => boolean
}

export function createCaller(options: CallerOptions) {
  const { baseUrl, clock, redact } = options
  return {
    /**
     * @throws ConnectionError or TimeoutError without an answer; RateLimitError or UnavailableError when the next request
     * would have to wait longer than allowed; OverLimitError when no wait is long enough
     */
    async call<T>(call: Call<T>): Promise<T> {
      const { method, path, isRepeatable = true, signal, onWaiting, onEvent, onUnknown } = call
      const observe = observer('onEvent of a call', onEvent)
      const report = (event: ClientEvent) => {
        options.report(event)
        observe(event)
      }
      const request: RequestInfo = { method, path: path.replace(/\?.*$/s, '') }
      const context: AnswerContext = { request, baseUrl, redact }
      const attempts = createAttempts(call, context, { ...options, report })

      async function finish(attempt: Attempt, isUnknown: boolean, tried: Tried): Promise<Ending<T>> {
        let result: CallResult | undefined
        try {
          if (isUnknown) throw unknownOf(attempt, context, tried)
          result = resultOf(attempt, context, { interrupted: attempts.interrupted(), tried })
          return { type: 'value', value: call.read(result) }
        } catch (error) {
          if (!(onUnknown && error instanceof UnknownOutcomeError)) throw error
          const value = await onUnknown(error, endsAlike(attempt, result))
          if (value !== undefined) return { type: 'value', value }
          attempts.forgetLast()
          const { cause } = error
          return { type: 'without-effect', reason: `not stored, as the list shows: ${messageOf(cause)}`, cause }
        }
      }

      const repeatable = onUnknown ? 'unless-stored' : isRepeatable ? 'always' : 'never'
      const policy = { repeatable, retries: options.retries } as const
      return await repeatCall({ request, policy, clock, signal, report, onWaiting, send: attempts.send, finish })
    },
  }
}

/** Sends calls: waits for quota, sends again where that is safe, and reports every attempt. */
export type Caller = ReturnType<typeof createCaller>

/** The attempts of one call; all their waits for quota together last at most `maxWaitMs`. */
function createAttempts(
  { path, body: createBody, signal, isProof = false }: Call<unknown>,
  context: AnswerContext,
  options: CallerOptions,
) {
  const { baseUrl, clock, pacer, report } = options
  const { request } = context
  let { maxWaitMs } = options
  let interrupted = false
  let last: Attempt | undefined

  /** @throws RateLimitError or UnavailableError when the wait is too long; OverLimitError when none is long enough */
  async function takeTurn(): Promise<PacingPermit> {
    const askedAt = steadyMs(clock)
    const cost = costOf(request.method, request.path)
    try {
      const onWait = (wait: PacingWait) => report({ type: 'wait', request, ...wait })
      const permit = await pacer.acquire({ cost, maxWaitMs, signal, onWait })
      maxWaitMs = Math.max(maxWaitMs - (steadyMs(clock) - askedAt), 0)
      return permit
    } catch (error) {
      if (error instanceof NeverFitsError) throw overLimit(error.reason, context)
      if (error instanceof FleetProblem) throw ledgerUnreachable(error, context)
      if (!(error instanceof WaitTooLongError)) throw error
      const isWhole = maxWaitMs === options.maxWaitMs
      const limit = isWhole ? `maxWaitMs is ${maxWaitMs / 1_000} s` : 'longer than what is left of maxWaitMs'
      throw waitError(error.wait, limit, last, context)
    }
  }

  return {
    async send(number: number): Promise<Attempt> {
      if (last !== undefined) interrupted ||= mayHaveActed(last)
      if (options.isClosed()) throw clientClosed(target(context), request)
      // Made before the wait: a source that cannot be read must neither wait for units nor hold them.
      const body = await createBody?.()
      const permit = await takeTurn()
      last = await makeAttempt({ request, url: `${baseUrl}${path}`, number, body, signal, permit, isProof }, options)
      return last
    },
    interrupted: () => interrupted,
    /** Afterwards the last answer no longer counts as the reason why the next attempt may not be sent. */
    forgetLast() {
      last = undefined
    },
  }
}

/** @throws ConnectionError or TimeoutError for an attempt without an answer; NoProofError where one proves nothing */
function resultOf(
  attempt: Attempt,
  context: AnswerContext,
  more: Pick<CallResult, 'interrupted' | 'tried'>,
): CallResult {
  if (attempt.type === 'failed') throw attemptError(attempt, context)
  const { answer, end, isOld } = attempt
  if (end.type === 'answered' && end.isNoProof) throw fromCache(answer, context)
  const refusal = isSuccess(answer) ? undefined : attemptError(attempt, context)
  return { answer, context, refusal, bodyFinished: end.bodyFinished, isOld, ...more }
}

function unknownOf(attempt: Attempt, context: AnswerContext, tried: Tried) {
  const status = attempt.type === 'answered' ? attempt.answer.status : undefined
  return unknownOutcome(endInWords(attempt), context, { status, tried, cause: attemptError(attempt, context) })
}

/** Whether another attempt would end in the same way. @param success what could not be read as a success */
function endsAlike({ end }: Attempt, success: CallResult | undefined): boolean {
  return success === undefined ? isFinal(end) : !isGarbled(success.answer)
}

function mayHaveActed(attempt: Attempt): boolean {
  return attempt.type === 'failed' ? attempt.error.mayHaveArrived : attempt.answer.status >= 500
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
