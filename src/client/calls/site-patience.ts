import type { Clock } from '../../clock.ts'
import { longestUndatedMs, refusalWait, unavailableWaitMs } from '../../pacing/quota-model/refusals.ts'
import { parseRetryAfter } from '../../pacing/rate-headers.ts'
import { rateHeaders } from '../../protocol/rate-limits.ts'
import type { AttemptEnd } from '../retry.ts'
import type { TransportError, TransportResponse } from '../transports/transport.ts'

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
