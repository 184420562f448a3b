import { mayHaveArrived, type TransportFailure } from './transports/transport.ts'

/** How one attempt ended, as far as repeating it is concerned. */
export type AttemptEnd =
  | {
      readonly type: 'answered'
      readonly status: number
      /** Whether the last byte of the body had been handed over before the answer came. */
      readonly bodyFinished: boolean
      /** Whether the body is the service's own error shape, which a proxy in between would not write. */
      readonly serviceBody: boolean
    }
  | {
      readonly type: 'failed'
      readonly failure: TransportFailure
      /** Whether another try can only fail in the same way. */
      readonly permanent: boolean
      /** Whether the last byte of the body had been handed over: then the service may have acted on it. */
      readonly bodyFinished: boolean
    }

/**
 * What may be sent twice: `always` — a call that changes nothing, or nothing more the second time; `unless-stored` —
 * an upload, only where it is proven that the first was not stored; `never`.
 */
export type Repeatable = 'always' | 'unless-stored' | 'never'

export interface RetryPolicy {
  readonly repeatable: Repeatable
  /** How many network failures and 5xx are borne; refusals for quota do not count. */
  readonly retries: number
}

export type RetryDecision =
  | { readonly type: 'done' }
  /** After a refusal or a 503 the delay is 0: when the next request may be sent is for the pacer to say. */
  | { readonly type: 'again'; readonly cause: 'refusal' | 'failure'; readonly delayMs: number }
  | { readonly type: 'give-up' }
  /** Nothing proves whether the upload was stored: it must not be sent again. */
  | { readonly type: 'unknown' }

/** 417 refuses a question in the headers that is not asked again. */
const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([417, 500, 502, 503, 504])
const BACKOFF_START_MS = 500
const BACKOFF_CAP_MS = 30_000

/**
 * Decides what becomes of a call after an attempt.
 *
 * @param failures how many network failures and 5xx there were before this attempt
 * @param random a number in [0, 1), spreading retries of many clients
 */
export function decideRetry(end: AttemptEnd, failures: number, policy: RetryPolicy, random: number): RetryDecision {
  if (end.type === 'answered' && end.status === 429) {
    return policy.repeatable === 'never' ? { type: 'give-up' } : { type: 'again', cause: 'refusal', delayMs: 0 }
  }
  if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }
  if (end.type === 'answered' && !REPEATABLE_STATUSES.has(end.status)) return { type: 'done' }
  if (policy.repeatable === 'never' || failures >= policy.retries) return { type: 'give-up' }
  if (end.type === 'failed' && end.permanent) return { type: 'give-up' }
  const isPaced = end.type === 'answered' && end.status === 503
  return { type: 'again', cause: 'failure', delayMs: isPaced ? 0 : backoffMs(failures, random) }
}

/**
 * A refusal is proof that nothing was stored, and so is an exchange that ended before the last byte could have left.
 * What a server or a proxy says of its own trouble, or of a request that took too long, proves nothing.
 */
function mayBeStored(end: AttemptEnd): boolean {
  if (!end.bodyFinished) return false
  if (end.type === 'failed') return mayHaveArrived(end.failure)
  const inTrouble = end.status >= 500 || end.status === 408 || end.status === 499
  return inTrouble && !(end.status === 503 && end.serviceBody)
}

/** Exponential, with full jitter. */
function backoffMs(failures: number, random: number): number {
  return random * Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** failures)
}
