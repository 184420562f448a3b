import { refusalWaitMs } from '../pacing/retry-after.ts'
import type { WindowName } from '../protocol/rate-limits.ts'
import type { TransportFailure } from './transport.ts'

/** How one attempt ended, as far as repeating it is concerned. */
export type AttemptEnd =
  | {
      readonly type: 'answered'
      readonly status: number
      /** Whether the body is the service's own error shape, which a proxy in between would not write. */
      readonly serviceBody: boolean
      readonly refusedBy?: WindowName | undefined
      /** The parsed Retry-After. */
      readonly askedMs?: number | undefined
    }
  | {
      readonly type: 'failed'
      readonly failure: TransportFailure
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
  readonly retries: number
  readonly maxWaitMs: number
}

/** What has been tried so far: `failures` are network failures and 5xx, `refusals` the 429s in a row. */
export interface RetryState {
  readonly failures: number
  readonly refusals: number
}

export const firstAttempt: RetryState = { failures: 0, refusals: 0 }

export type RetryDecision =
  | { readonly type: 'done' }
  | {
      readonly type: 'again'
      readonly delayMs: number
      readonly state: RetryState
      readonly cause: 'refusal' | 'failure'
    }
  | { readonly type: 'give-up' }
  /** Nothing proves whether the upload was stored: it must not be sent again. */
  | { readonly type: 'unknown' }

const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504])
const BACKOFF_START_MS = 500
const BACKOFF_CAP_MS = 30_000
/** A disabled service may name any time; asking again after an hour costs nothing, for a 503 is not charged. */
const LONGEST_UNAVAILABLE_WAIT_MS = 3_600_000
const PAD_MS = 250

/**
 * Decides what becomes of a call after an attempt.
 *
 * @param random a number in [0, 1), spreading retries of many clients
 */
export function decideRetry(end: AttemptEnd, state: RetryState, policy: RetryPolicy, random: number): RetryDecision {
  if (end.type === 'answered' && end.status === 429) return afterRefusal(end, state, policy)
  if (end.type === 'answered' && !REPEATABLE_STATUSES.has(end.status)) return { type: 'done' }
  if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }
  if (policy.repeatable === 'never' || state.failures >= policy.retries) return { type: 'give-up' }
  const delayMs = failureWaitMs(end, state.failures, random)
  if (delayMs > policy.maxWaitMs) return { type: 'give-up' }
  return { type: 'again', delayMs, cause: 'failure', state: { failures: state.failures + 1, refusals: 0 } }
}

function afterRefusal(end: AttemptEnd & { type: 'answered' }, state: RetryState, policy: RetryPolicy): RetryDecision {
  const refusals = state.refusals + 1
  const delayMs = refusalWaitMs(end.askedMs, end.refusedBy, refusals)
  if (policy.repeatable === 'never' || delayMs > policy.maxWaitMs) return { type: 'give-up' }
  return { type: 'again', delayMs, cause: 'refusal', state: { ...state, refusals } }
}

/** An answer before storing is proof; so is a connection that broke before the last byte could have left. */
function mayBeStored(end: AttemptEnd): boolean {
  if (end.type === 'failed') return end.failure !== 'unreachable' && end.bodyFinished
  return !(end.status === 503 && end.serviceBody)
}

/** Retry-After where the service gave one, else exponential backoff with full jitter. */
function failureWaitMs(end: AttemptEnd, failures: number, random: number): number {
  const askedMs = end.type === 'answered' ? end.askedMs : undefined
  if (askedMs !== undefined && askedMs > 0) return Math.min(askedMs + PAD_MS, LONGEST_UNAVAILABLE_WAIT_MS)
  return random * Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** failures)
}
