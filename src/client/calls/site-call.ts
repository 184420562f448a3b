import type { Clock } from '../../clock.ts'
import { longestUndatedMs, refusalWait, unavailableWaitMs } from '../../pacing/quota-model/refusals.ts'
import { parseRetryAfter } from '../../pacing/rate-headers.ts'
import { rateHeaders } from '../../protocol/rate-limits.ts'
import { type AttemptEnd, defaultRetries } from '../retry.ts'
import { type EndedAttempt, repeatCall } from '../retry-loop.ts'
import type { TransportError, TransportResponse } from '../transports/transport.ts'
import { type FileRequestOptions, plainUrl } from './file-request.ts'

/** A request for a file: what it brought, or the error of the call where it is not repeated. */
interface SiteAttempt<T> extends EndedAttempt {
  readonly outcome: { readonly value: T } | { readonly error: unknown }
}

/** Asks a site for a file, and again after failures. @param send is called with the number of each attempt, from 1 */
export async function callSite<T>(
  url: string,
  { retries = defaultRetries, clock, signal, onEvent }: Omit<FileRequestOptions, 'transport'>,
  send: (number: number) => Promise<SiteAttempt<T>>,
): Promise<T> {
  return await repeatCall({
    request: { method: 'GET', path: plainUrl(url) },
    policy: { repeatable: 'always', retries },
    clock,
    signal,
    report: (event) => onEvent?.(event),
    send,
    async finish({ outcome }) {
      if ('error' in outcome) throw outcome.error
      return { type: 'value', value: outcome.value }
    },
  })
}

/** How long a site asks to wait; 0 if it does not. @param refusals how many in a row this is, from 1 */
export type AskedWait = (refusals: number) => number

export function askedWait({ status, headers }: Pick<TransportResponse, 'status' | 'headers'>, clock: Clock): AskedWait {
  const undated = { now: clock.now(), longestMs: longestUndatedMs(status) }
  const askedMs = parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'], undated)
  return (refusals) => {
    if (status === 429) return refusalWait(askedMs, undefined, refusals).ms
    return status === 503 ? unavailableWaitMs(askedMs, refusals) : 0
  }
}

/** Counts the refusals and the waits of one file's requests to a site. */
export function createSitePatience(maxWaitMs = Number.POSITIVE_INFINITY) {
  let [refusals, waitedMs] = [0, 0]
  return {
    /** How long to wait after a refusal; infinite once all waits together are longer than allowed. */
    holdMs(asked: AskedWait) {
      const askedMs = asked(refusals + 1)
      if (askedMs > 0) refusals += 1
      waitedMs += askedMs
      return waitedMs > maxWaitMs ? Number.POSITIVE_INFINITY : askedMs
    },
    /** Bytes have come: earlier refusals no longer count. */
    progressed() {
      refusals = 0
      waitedMs = 0
    },
  }
}

export function answeredBySite(status: number): AttemptEnd {
  return { type: 'answered', status, bodyFinished: true }
}

export function unansweredBySite({ failure, permanent }: TransportError): AttemptEnd {
  return { type: 'failed', failure, permanent, bodyFinished: true }
}
