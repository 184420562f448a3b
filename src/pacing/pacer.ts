import type { WindowName } from '../protocol/rate-limits.ts'
import type { RateReport } from './rate-report.ts'

/** A request that wants to be sent. */
export interface PacingRequest {
  /** In units (spec 8). */
  readonly cost: number
  readonly signal?: AbortSignal | undefined
  /** The longest wait the caller bears; a longer one is thrown instead of waited for. */
  readonly maxWaitMs: number
  /** Told of a wait before it begins, and again where its reason or its end changes. */
  readonly onWait?: ((wait: PacingWait) => void) | undefined
}

/**
 * What says how long to hold back: the client's own count, a refusal's Retry-After, a guess after a refusal that names
 * no time, or a service that is switched off (503).
 */
export type WaitSource = 'ledger' | 'retry-after' | 'guess' | 'unavailable'

/** Why a request is being held back, and until when. */
export interface PacingWait {
  readonly window: WindowName | undefined
  readonly source: WaitSource
  readonly delayMs: number
}

/** How a request that was let through ended. */
export type PacingOutcome =
  /** Headers are in: the charge, if any, has happened by `at` (epoch milliseconds). */
  | {
      readonly type: 'answered'
      readonly at: number
      readonly status: number
      readonly report: RateReport
      /** Of a 429: the window its text names. */
      readonly refusedBy?: WindowName | undefined
      /** The parsed Retry-After. */
      readonly holdMs?: number | undefined
    }
  /** Nothing left this machine: no unit can have been charged. */
  | { readonly type: 'not-sent' }
  /** Sent, at least in part, and not answered: it may have been charged. */
  | { readonly type: 'unanswered'; readonly at: number }

/** Leave to send one request; to be settled once, whatever became of it. */
export interface PacingTicket {
  settle(outcome: PacingOutcome): Promise<void>
}

/** One window as the client counts it. */
export interface QuotaWindow {
  /** In units; null where nothing limits it. */
  readonly limit: number | null
  /** What is believed in place of the limit, until when (epoch milliseconds) and why; absent where the limit is. */
  readonly believed?: { readonly limit: number; readonly until: number; readonly reason: 'refusal' }
  readonly used: number
  readonly remaining: number | null
  /** Epoch milliseconds at which a request of that cost fits, as far as this window goes. */
  readonly fitsAt: Readonly<Record<'upload' | 'delete' | 'other', number>>
}

/** The windows that are counted; none where the client keeps no ledger. */
export type Quota = Readonly<Partial<Record<WindowName, QuotaWindow>>>

/**
 * Holds every request back until no quota window can refuse it. One pacer serves all requests of a key; the client asks
 * it before each attempt and tells it how the attempt ended.
 */
export interface Pacer {
  /**
   * Resolves when the request may be sent.
   * @throws WaitTooLongError where that would take longer than `maxWaitMs`; NeverFitsError where no wait helps;
   * `signal.reason` when aborted
   */
  acquire(request: PacingRequest): Promise<PacingTicket>
  /** The windows as counted now. */
  windows(): Quota
}

/** A request would have to wait for longer than its caller bears. */
export class WaitTooLongError extends Error {
  override readonly name = 'WaitTooLongError'
  readonly wait: PacingWait

  constructor(wait: PacingWait) {
    super(`The next request may be sent in ${Math.ceil(wait.delayMs / 1_000)} s`)
    this.wait = wait
  }
}
