import { steadyMs } from '../clock.ts'
import { NeverFitsError } from '../pacing/never-fits.ts'
import { type Pacer, type PacingPermit, WaitTooLongError } from '../pacing/pacer.ts'
import { costOf } from '../protocol/endpoints.ts'
import { type Answer, isSuccess } from './answer.ts'
import { type Attempt, type AttemptBody, type AttemptOptions, makeAttempt, toAttemptEnd } from './attempt.ts'
import { attemptError, overLimit, reasonOf, unknownOutcome, waitError } from './attempt-errors.ts'
import type { FileHostError, RequestInfo } from './errors.ts'
import type { ClientEvent } from './events.ts'
import type { AnswerContext } from './response.ts'
import { decideRetry, type Repeatable, type Tried } from './retry.ts'
import { shareSignal } from './shared-signal.ts'

/** One call of the API, sent as often as its kind and the retry options allow. */
export interface Call {
  readonly method: string
  /** Below the base URL; may carry a query. */
  readonly path: string
  /** Default: always. */
  readonly repeatable?: Repeatable
  /** Earlier attempts to count, when an upload is sent again after reading the list. Default: none. */
  readonly tried?: Tried
  /** Makes the body of one attempt, before the attempt waits for quota. What it throws ends the call. */
  readonly body?: (() => AttemptBody) | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before each attempt and before a backoff: at these moments the service has nothing of the call. */
  readonly onWaiting?: (() => void) | undefined
  /** Hears the events of this call; the client's own `onEvent` hears those of all calls. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

export interface CallResult {
  /** The last answer. */
  readonly answer: Answer
  readonly context: AnswerContext
  /** The error that the answer stands for; undefined for a success. */
  readonly refusal: FileHostError | undefined
  /** Whether an earlier attempt may have taken effect: it got no answer, or a 5xx. */
  readonly interrupted: boolean
  readonly tried: Tried
}

/** Sends calls: waits for quota, repeats where that is safe, reports every attempt. */
export interface Caller {
  /**
   * Resolves with the last answer, whatever its status.
   * @throws ConnectionError, TimeoutError or UnknownOutcomeError without an answer; RateLimitError or UnavailableError
   * when the next request would have to wait longer than allowed; OverLimitError when no wait is long enough
   */
  call(options: Call): Promise<CallResult>
  /** The same for a success. @throws FileHostError for every other answer */
  callOrThrow(options: Call): Promise<CallResult>
}

export interface CallerOptions extends AttemptOptions {
  readonly baseUrl: string
  readonly pacer: Pacer
  readonly retries: number
  readonly maxWaitMs: number
}

export function createCaller(options: CallerOptions): Caller {
  const { baseUrl, clock, pacer, redact } = options

  /** Makes attempts until one ends the call. @throws UnknownOutcomeError for an upload that may have been stored */
  async function run(call: Call) {
    shareSignal(call.signal)
    const report = reporterOf(call)
    const request: RequestInfo = { method: call.method, path: call.path.replace(/\?.*$/s, '') }
    const context: AnswerContext = { request, baseUrl, redact }
    const policy = { repeatable: call.repeatable ?? 'always', retries: options.retries }
    const turns = createTurns(call, context, report)
    let { attempts, failures } = call.tried ?? { attempts: 0, failures: 0 }
    let interrupted = false
    let last: Attempt | undefined
    for (;;) {
      call.onWaiting?.()
      attempts += 1
      // The body comes first: a source that cannot be read must neither wait for units nor hold them.
      const body = call.body?.()
      const permit = await turns.next(last)
      const attempt = await makeAttempt(
        { request, url: `${baseUrl}${call.path}`, number: attempts, body, signal: call.signal, permit },
        { ...options, report },
      )
      const decision = decideRetry(toAttemptEnd(attempt), failures, policy, Math.random())
      const tried = { attempts, failures }
      if (decision.type === 'unknown') throw unknownOf(attempt, context, tried)
      if (decision.type !== 'again') return { attempt, context, interrupted, tried }
      interrupted ||= mayHaveActed(attempt)
      last = attempt
      if (decision.cause === 'refusal') continue
      failures += 1
      const { delayMs } = decision
      report({ type: 'retry', request, attempt: attempts, delayMs, reason: reasonOf(attempt) })
      call.onWaiting?.()
      await backOff(delayMs, call.signal)
    }
  }

  async function backOff(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (delayMs > 0) await clock.sleep(delayMs, signal)
  }

  /** Waits for the pacer before each attempt of a call; all these waits together last at most `maxWaitMs`. */
  function createTurns({ signal }: Call, context: AnswerContext, report: (event: ClientEvent) => void) {
    const { request } = context
    let maxWaitMs = options.maxWaitMs
    return {
      /** @throws RateLimitError or UnavailableError when the next turn comes too late */
      async next(last: Attempt | undefined): Promise<PacingPermit> {
        const askedAt = steadyMs(clock)
        try {
          const permit = await pacer.acquire({
            cost: costOf(request.method, request.path),
            maxWaitMs,
            signal,
            onWait: (wait) => report({ type: 'wait', request, ...wait }),
          })
          maxWaitMs = Math.max(maxWaitMs - (steadyMs(clock) - askedAt), 0)
          return permit
        } catch (error) {
          if (error instanceof NeverFitsError) throw overLimit(error.reason, context)
          throw error instanceof WaitTooLongError ? waitError(error.wait, last, context) : error
        }
      },
    }
  }

  function reporterOf({ onEvent }: Call): (event: ClientEvent) => void {
    return (event) => {
      options.report(event)
      onEvent?.(event)
    }
  }

  async function call(options: Call): Promise<CallResult> {
    const { attempt, ...more } = await run(options)
    if (attempt.type === 'failed') throw attemptError(attempt, more.context)
    const refusal = isSuccess(attempt.answer) ? undefined : attemptError(attempt, more.context)
    return { answer: attempt.answer, refusal, ...more }
  }

  return {
    call,
    async callOrThrow(options) {
      const result = await call(options)
      if (result.refusal !== undefined) throw result.refusal
      return result
    },
  }
}

function unknownOf(attempt: Attempt, context: AnswerContext, tried: Tried) {
  const status = attempt.type === 'answered' ? attempt.answer.status : undefined
  return unknownOutcome(reasonOf(attempt), context, { status, tried, cause: attemptError(attempt, context) })
}

function mayHaveActed(attempt: Attempt): boolean {
  return attempt.type === 'failed' ? attempt.error.mayHaveArrived : attempt.answer.status >= 500
}
