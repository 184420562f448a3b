import type { Pacer } from '../pacing/pacer.ts'
import { costOf } from '../protocol/endpoints.ts'
import { type Attempt, type AttemptBody, type AttemptOptions, makeAttempt, toAttemptEnd } from './attempt.ts'
import { attemptError, reasonOf, unknownOutcome } from './attempt-errors.ts'
import type { RequestInfo } from './errors.ts'
import type { ClientEvent } from './events.ts'
import { type Answer, type AnswerContext, isSuccess } from './response.ts'
import { decideRetry, firstAttempt, type Repeatable, type RetryDecision } from './retry.ts'

/** A call to be made, as often as it takes and its kind allows. */
export interface Call {
  readonly method: string
  /** Below the base URL; may carry a query. */
  readonly path: string
  /** Default: always. */
  readonly repeatable?: Repeatable
  /** Makes the body of one attempt. */
  readonly body?: (() => AttemptBody) | undefined
  readonly signal?: AbortSignal | undefined
  /** Told what happens in the course of this call, besides the one who is told of all. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

export interface Exchanged {
  readonly answer: Answer
  readonly context: AnswerContext
  /** Whether an earlier attempt went unanswered, or was answered with trouble, so that it may have had its effect. */
  readonly interrupted: boolean
}

/** Sends calls: paced, repeated where that is safe, every attempt reported. */
export interface Exchange {
  /**
   * The last answer, whatever its status.
   * @throws ConnectionError, TimeoutError, UnknownOutcomeError where there is none
   */
  send(call: Call): Promise<Exchanged>
  /** The same, but only a success. @throws FileHostError the one every other answer stands for */
  succeed(call: Call): Promise<Exchanged>
}

export interface ExchangeOptions extends AttemptOptions {
  readonly baseUrl: string
  readonly pacer: Pacer
  readonly retries: number
  readonly maxWaitMs: number
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { baseUrl, clock, pacer, redact } = options

  /** All attempts of a call; ends with the last one, or throws where the outcome of an upload is unknown. */
  async function run(call: Call) {
    const report = reporterOf(call)
    const request: RequestInfo = { method: call.method, path: call.path.replace(/\?.*$/s, '') }
    const context: AnswerContext = { request, baseUrl, redact }
    const policy = { repeatable: call.repeatable ?? 'always', retries: options.retries, maxWaitMs: options.maxWaitMs }
    let state = firstAttempt
    let interrupted = false
    for (let number = 1; ; number += 1) {
      const attempt = await paced(call, request, number, report)
      const decision = decideRetry(toAttemptEnd(attempt), state, policy, Math.random())
      if (decision.type === 'unknown') {
        const known = attempt.type === 'answered' ? { status: attempt.answer.status } : { cause: attempt.error }
        throw unknownOutcome(reasonOf(attempt), context, known)
      }
      if (decision.type !== 'again') return { attempt, context, interrupted }
      interrupted ||= mayHaveActed(attempt)
      report(announcement(decision, attempt, request, number))
      await clock.sleep(decision.delayMs, call.signal)
      state = decision.state
    }
  }

  function reporterOf({ onEvent }: Call): (event: ClientEvent) => void {
    return (event) => {
      options.report(event)
      onEvent?.(event)
    }
  }

  async function paced(
    { path, body, signal }: Call,
    request: RequestInfo,
    number: number,
    report: (event: ClientEvent) => void,
  ): Promise<Attempt> {
    const ticket = await pacer.acquire({
      cost: costOf(request.method, request.path),
      maxWaitMs: options.maxWaitMs,
      signal,
      onWait: (wait) => report({ type: 'wait', request, ...wait }),
    })
    return makeAttempt(
      { request, url: `${baseUrl}${path}`, number, body: body?.(), signal, ticket },
      { ...options, report },
    )
  }

  return {
    async send(call) {
      const { attempt, context, interrupted } = await run(call)
      if (attempt.type === 'failed') throw attemptError(attempt, context)
      return { answer: attempt.answer, context, interrupted }
    },
    async succeed(call) {
      const { attempt, context, interrupted } = await run(call)
      if (attempt.type === 'failed' || !isSuccess(attempt.answer)) throw attemptError(attempt, context)
      return { answer: attempt.answer, context, interrupted }
    },
  }
}

function mayHaveActed(attempt: Attempt): boolean {
  return attempt.type === 'failed' ? attempt.error.failure !== 'unreachable' : attempt.answer.status >= 500
}

function announcement(
  { delayMs, cause }: RetryDecision & { type: 'again' },
  attempt: Attempt,
  request: RequestInfo,
  number: number,
) {
  const window = attempt.type === 'answered' ? attempt.refusedBy : undefined
  return cause === 'refusal'
    ? ({ type: 'wait', request, window, source: 'retry-after', delayMs } as const)
    : ({ type: 'retry', request, attempt: number, delayMs, reason: reasonOf(attempt) } as const)
}
