import { mayHaveArrived, type TransportFailure } from './transports/transport.ts'

/** How one attempt ended, as far as a retry depends on it. */
export type AttemptEnd =
  | {
      readonly type: 'answered'
      readonly status: number
      /** Whether the last byte of the body had been handed over before the answer came. */
      readonly bodyFinished: boolean
      /** Which of the service's error shapes the body has (spec 7): the page of a proxy has none. */
      readonly shape?: 'error' | 'message' | undefined
      /** Whether the answer had to prove something, and a cache had kept it. */
      readonly isNoProof?: boolean
    }
  | {
      readonly type: 'failed'
      readonly failure: TransportFailure
      /** Whether every further attempt fails in the same way. */
      readonly permanent: boolean
      /** Whether the last byte of the body had been handed over, so that the service may have acted on it. */
      readonly bodyFinished: boolean
    }

/**
 * What may be sent again: `always` for calls that have no further effect the second time; `unless-stored` for an upload,
 * which is sent again only if it provably was not stored; `never`.
 */
export type Repeatable = 'always' | 'unless-stored' | 'never'

export interface RetryPolicy {
  readonly repeatable: Repeatable
  /** How many network failures, 5xx and 417 are retried; refusals for quota do not count. */
  readonly retries: number
}

/** The default of `retries`. */
export const defaultRetries = 5

export type RetryDecision =
  | { readonly type: 'done' }
  /** After a 429 or a 503 the delay is 0, because the pacer decides when the next request may leave. */
  | { readonly type: 'again'; readonly cause: 'refusal' | 'failure'; readonly delayMs: number }
  | { readonly type: 'give-up' }
  /** The upload may have been stored: it must not be sent again. */
  | { readonly type: 'unknown' }

/** Refuses the Expect header, and so the body, which the transport then sends to that server without it. */
const EXPECTATION_FAILED = 417
const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([EXPECTATION_FAILED, 500, 502, 503, 504])
const BACKOFF_START_MS = 500
const BACKOFF_CAP_MS = 30_000

/**
 * Decides what follows an attempt.
 *
 * @param failures how many failures were retried before this attempt
 * @param random a number in [0, 1) that spreads the retries of many clients
 */
export function decideRetry(end: AttemptEnd, failures: number, policy: RetryPolicy, random: number): RetryDecision {
  if (end.type === 'answered' && end.status === 429) {
    return policy.repeatable === 'never' ? { type: 'give-up' } : { type: 'again', cause: 'refusal', delayMs: 0 }
  }
  if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }
  if (end.type === 'answered' && !end.isNoProof && !REPEATABLE_STATUSES.has(end.status)) return { type: 'done' }
  if (policy.repeatable === 'never' || failures >= policy.retries) return { type: 'give-up' }
  if (end.type === 'failed' && end.permanent) return { type: 'give-up' }
  const isPaced = end.type === 'answered' && end.status === 503
  return { type: 'again', cause: 'failure', delayMs: isPaced ? 0 : backoffMs(failures, random) }
}

/** A proxy that sends these has not passed the body on: it is too large, or was announced by Expect. */
const REFUSES_BODY: ReadonlySet<number> = new Set([413, EXPECTATION_FAILED])
/** Sent while the service may still be at work. */
const GIVEN_UP_WAITING: ReadonlySet<number> = new Set([408, 499])

/**
 * An attempt that ended before the last byte left stored nothing. After the whole body only a refusal of the body, or one
 * in the service's own words, proves that: a proxy may put a page of any other status in the place of the answer. What a
 * success proves is not decided here.
 */
function mayBeStored(end: AttemptEnd): boolean {
  if (!end.bodyFinished) return false
  if (end.type === 'failed') return mayHaveArrived(end.failure)
  const { status, shape } = end
  if (status < 300) return false
  if (status >= 500) return !(status === 503 && shape === 'error')
  return !REFUSES_BODY.has(status) && (shape === undefined || GIVEN_UP_WAITING.has(status))
}

/** Whether another attempt would end in the same way. Does not count for a success. */
export function isFinal(end: AttemptEnd): boolean {
  if (end.type === 'failed') return end.permanent
  const { status } = end
  return status < 500 && !GIVEN_UP_WAITING.has(status) && !REPEATABLE_STATUSES.has(status)
}

/** Exponential, with full jitter. */
function backoffMs(failures: number, random: number): number {
  return random * Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** failures)
}
