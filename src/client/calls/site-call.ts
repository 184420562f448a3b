import type { Clock } from '../../clock.ts'
import { longestUndatedMs, refusalWait, unavailableWaitMs } from '../../pacing/quota-model/refusals.ts'
import { parseRetryAfter } from '../../pacing/rate-headers.ts'
import { rateHeaders } from '../../protocol/rate-limits.ts'
import { brokenBy } from '../errors.ts'
import { defaultRetries } from '../retry.ts'
import { repeatCall } from '../retry-loop.ts'
import type { TransportError, TransportResponse } from '../transports/transport.ts'
import { type FileRequestOptions, plainUrl } from './file-request.ts'

type SiteAnswer = Pick<TransportResponse, 'status' | 'headers'>

/** What a request for a file brought, or the error of the call where it is not repeated. */
type SiteOutcome<T> = { readonly value: T } | { readonly error: unknown }

interface SiteCall<T> extends Omit<FileRequestOptions, 'transport'> {
  readonly url: string
  /** @param number of the attempt, from 1 */
  send(number: number): Promise<SiteOutcome<T> & { readonly answer: SiteAnswer }>
  /** Where no answer came, or it broke off. */
  unanswered(cause: TransportError, error: unknown): SiteOutcome<T>
  /** Whether the last attempt brought bytes: then earlier refusals and failures no longer count. Default: no. */
  hasProgressed?(): boolean
}

/** Asks a site for a file, and again after failures and refusals. */
export async function callSite<T>(call: SiteCall<T>): Promise<T> {
  const { url, retries = defaultRetries, maxWaitMs = Number.POSITIVE_INFINITY, clock, signal, onEvent } = call
  let [refusals, waitedMs] = [0, 0]
  return await repeatCall({
    request: { method: 'GET', path: plainUrl(url) },
    policy: { repeatable: 'always', retries },
    clock,
    signal,
    report: (event) => onEvent?.(event),
    async send(number) {
      const outcome = await call.send(number).catch((error: unknown) => {
        const cause = brokenBy(error)
        if (cause === undefined) throw error
        return { cause, ...call.unanswered(cause, error) }
      })
      const hasProgressed = call.hasProgressed?.() ?? false
      if (hasProgressed) [refusals, waitedMs] = [0, 0]
      const askedMs = 'answer' in outcome ? askedWaitMs(outcome.answer, clock, refusals + 1) : 0
      if (askedMs > 0) refusals += 1
      waitedMs += askedMs
      const holdMs = waitedMs > maxWaitMs ? Number.POSITIVE_INFINITY : askedMs
      return { ...endOf(outcome), outcome, holdMs, hasProgressed }
    },
    async finish({ outcome }) {
      if ('error' in outcome) throw outcome.error
      return { type: 'value', value: outcome.value }
    },
  })
}

function endOf(outcome: { readonly error?: unknown } & ({ answer: SiteAnswer } | { cause: TransportError })) {
  const words = outcome.error instanceof Error ? outcome.error.message : undefined
  if ('cause' in outcome) {
    const { failure, permanent, message } = outcome.cause
    return { end: { type: 'failed', failure, permanent, bodyFinished: true }, reason: words ?? message } as const
  }
  const { status } = outcome.answer
  const reason = words ?? `the site answered ${status}`
  return { end: { type: 'answered', status, bodyFinished: true }, reason } as const
}

/** How long a site asks to wait; 0 if it does not. @param refusals how many in a row this is, from 1 */
export function askedWaitMs({ status, headers }: SiteAnswer, clock: Clock, refusals = 1): number {
  const undated = { now: clock.now(), longestMs: longestUndatedMs(status) }
  const askedMs = parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'], undated)
  if (status === 429) return refusalWait(askedMs, undefined, refusals).ms
  return status === 503 ? unavailableWaitMs(askedMs, refusals) : 0
}
