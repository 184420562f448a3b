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
import { decideRetry, type Repeatable } from './retry.ts'
import { shareSignal } from './shared-signal.ts'

/** A call to be made, as often as it takes and its kind allows. */
export interface Call {
  readonly method: string
  /** Below the base URL; may carry a query. */
  readonly path: string
  /** Default: always. */
  readonly repeatable?: Repeatable
  /** What became of it before and counts as the same call: attempts made, and how many of them failed. Default: none. */
  readonly tried?: { readonly attempts: number; readonly failures: number }
  /** Makes the body of one attempt, before its turn has come. What it throws ends the call. */
  readonly body?: (() => AttemptBody) | undefined
  readonly signal?: AbortSignal | undefined
  /** Told what happens in the course of this call, besides the one who is told of all. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

export interface CallResult {
  readonly answer: Answer
  readonly context: AnswerContext
  /** The error the answer stands for; undefined where it is a success. */
  readonly refusal: FileHostError | undefined
  /** Whether an earlier attempt went unanswered, or was answered with trouble, so that it may have had its effect. */
  readonly interrupted: boolean
}

/** Sends calls: paced, repeated where that is safe, every attempt reported. */
export interface Caller {
  /**
   * The last answer, whatever its status.
   * @throws ConnectionError, TimeoutError, UnknownOutcomeError where there is none; RateLimitError and UnavailableError
   * where the next request would have to wait for longer than allowed; OverLimitError where no wait would do
   */
  call(call: Call): Promise<CallResult>
  /** The same, but only a success. @throws FileHostError the one every other answer stands for */
  callOrThrow(call: Call): Promise<CallResult>
}

export interface CallerOptions extends AttemptOptions {
  readonly baseUrl: string
  readonly pacer: Pacer
  readonly retries: number
  readonly maxWaitMs: number
}

export function createCaller(options: CallerOptions): Caller {
  const { baseUrl, clock, pacer, redact } = options

  /** All attempts of a call; ends with the last one, or throws where the outcome of an upload is unknown. */
  async function run(call: Call) {
    shareSignal(call.signal)
    const report = reporterOf(call)
    const request: RequestInfo = { method: call.method, path: call.path.replace(/\?.*$/s, '') }
    const context: AnswerContext = { request, baseUrl, redact }
    const policy = { repeatable: call.repeatable ?? 'always', retries: options.retries }
    const turns = createTurns(call, context, report)
    let { attempts: number, failures } = call.tried ?? { attempts: 0, failures: 0 }
    let interrupted = false
    let last: Attempt | undefined
    for (;;) {
      number += 1
      // Before its turn: a body that cannot be made must neither wait for units nor hold them.
      const body = call.body?.()
      const permit = await turns.next(last)
      const attempt = await makeAttempt(
        { request, url: `${baseUrl}${call.path}`, number, body, signal: call.signal, permit },
        { ...options, report },
      )
      const decision = decideRetry(toAttemptEnd(attempt), failures, policy, Math.random())
      if (decision.type === 'unknown') throw unknownOf(attempt, context)
      if (decision.type !== 'again') return { attempt, context, interrupted }
      interrupted ||= mayHaveActed(attempt)
      last = attempt
      if (decision.cause === 'refusal') continue
      failures += 1
      const { delayMs } = decision
      report({ type: 'retry', request, attempt: number, delayMs, reason: reasonOf(attempt) })
      await backOff(delayMs, call.signal)
    }
  }

  async function backOff(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (delayMs > 0) await clock.sleep(delayMs, signal)
  }

  /** A call's turns at the pacer: together they may take no longer than the caller bears. */
  function createTurns({ signal }: Call, context: AnswerContext, report: (event: ClientEvent) => void) {
    const { request } = context
    let patienceMs = options.maxWaitMs
    return {
      /** @throws RateLimitError or UnavailableError where the next turn comes too late */
      async next(last: Attempt | undefined): Promise<PacingPermit> {
        const askedAt = steadyMs(clock)
        try {
          const permit = await pacer.acquire({
            cost: costOf(request.method, request.path),
            maxWaitMs: patienceMs,
            signal,
            onWait: (wait) => report({ type: 'wait', request, ...wait }),
          })
          patienceMs = Math.max(patienceMs - (steadyMs(clock) - askedAt), 0)
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
    const { attempt, context, interrupted } = await run(options)
    if (attempt.type === 'failed') throw attemptError(attempt, context)
    const refusal = isSuccess(attempt.answer) ? undefined : attemptError(attempt, context)
    return { answer: attempt.answer, context, refusal, interrupted }
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

function unknownOf(attempt: Attempt, context: AnswerContext) {
  const status = attempt.type === 'answered' ? attempt.answer.status : undefined
  return unknownOutcome(reasonOf(attempt), context, { status, cause: attemptError(attempt, context) })
}

function mayHaveActed(attempt: Attempt): boolean {
  return attempt.type === 'failed' ? attempt.error.mayHaveArrived : attempt.answer.status >= 500
}
