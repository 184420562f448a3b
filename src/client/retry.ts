import { refusalWaitMs } from '../pacing/retry-after.ts'
import type { WindowName } from '../protocol/rate-limits.ts'
import type { TransportFailure } from './transport.ts'

/** How one attempt ended, as far as repeating it is concerned. */
export type AttemptEnd =
  | {
      readonly type: 'answered'
      readonly status: number
      /** Whether the last byte of the body had been handed over before the answer came. */
      readonly bodyFinished: boolean
      /** Whether the body is the service's own error shape, which a proxy in between would not write. */
      readonly serviceBody: boolean
      readonly refusedBy?: WindowName | undefined
      /** The parsed Retry-After. */
      readonly askedMs?: number | undefined
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
  readonly retries: number
  /** The longest a call waits for quota in a row, and the longest Retry-After of a 503 that is heeded. */
  readonly maxWaitMs: number
}

/** What has been tried so far. */
export interface RetryState {
  /** Network failures and 5xx. */
  readonly failures: number
  /** 429s in a row. */
  readonly refusals: number
  /** How long those 429s were waited for. */
  readonly waitedMs: number
}

export const firstAttempt: RetryState = { failures: 0, refusals: 0, waitedMs: 0 }

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
  if (policy.repeatable === 'unless-stored' && mayBeStored(end)) return { type: 'unknown' }
  if (end.type === 'answered' && !REPEATABLE_STATUSES.has(end.status)) return { type: 'done' }
  if (policy.repeatable === 'never' || state.failures >= policy.retries) return { type: 'give-up' }
  if (end.type === 'failed' && end.permanent) return { type: 'give-up' }
  const askedMs = end.type === 'answered' ? end.askedMs : undefined
  if (askedMs !== undefined && askedMs > policy.maxWaitMs) return { type: 'give-up' }
  const delayMs = failureWaitMs(askedMs, state.failures, random)
  return { type: 'again', delayMs, cause: 'failure', state: { ...firstAttempt, failures: state.failures + 1 } }
}

function afterRefusal(end: AttemptEnd & { type: 'answered' }, state: RetryState, policy: RetryPolicy): RetryDecision {
  const refusals = state.refusals + 1
  const delayMs = refusalWaitMs(end.askedMs, end.refusedBy, refusals)
  const waitedMs = state.waitedMs + delayMs
  if (policy.repeatable === 'never' || waitedMs > policy.maxWaitMs) return { type: 'give-up' }
  return { type: 'again', delayMs, cause: 'refusal', state: { ...state, refusals, waitedMs } }
}

/**
 * A refusal is proof that nothing was stored, and so is an exchange that ended before the last byte could have left.
 * What a server or a proxy says of its own trouble, or of a request that took too long, proves nothing.
 */
function mayBeStored(end: AttemptEnd): boolean {
  if (!end.bodyFinished) return false
  if (end.type === 'failed') return end.failure !== 'unreachable'
  const inTrouble = end.status >= 500 || end.status === 408 || end.status === 499
  return inTrouble && !(end.status === 503 && end.serviceBody)
}

/** Retry-After where the service gave one, else exponential backoff with full jitter. */
function failureWaitMs(askedMs: number | undefined, failures: number, random: number): number {
  if (askedMs !== undefined && askedMs > 0) return Math.min(askedMs + PAD_MS, LONGEST_UNAVAILABLE_WAIT_MS)
  return random * Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** failures)
}
