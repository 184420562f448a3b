import type { WindowName } from '../protocol/rate-limits.ts'
import type { RateReport } from './rate-headers.ts'

/** A request to send. */
export interface PacingRequest {
  /** In units (spec 8). */
  readonly cost: number
  readonly signal?: AbortSignal | undefined
  /** A longer wait throws `WaitTooLongError` instead. */
  readonly maxWaitMs: number
  /** Called once for each wait, as soon as its end is known: again only where a refusal, or use by others, makes it longer. */
  readonly onWait?: ((wait: PacingWait) => void) | undefined
}

/**
 * Where the length of a wait comes from: the client's own count, a refusal's Retry-After, a guess after a refusal without
 * one, or a service that is switched off (503).
 */
export type WaitSource = 'ledger' | 'retry-after' | 'guess' | 'unavailable'

/** Why a request waits, and for how long. */
export interface PacingWait {
  readonly window: WindowName | undefined
  readonly source: WaitSource
  readonly delayMs: number
}

/** How a permitted request ended. */
export type PacingOutcome =
  /** The answer's headers arrived at `at` (epoch milliseconds): any charge happened before. */
  | {
      readonly type: 'answered'
      readonly at: number
      readonly status: number
      readonly report: RateReport
      /** The window that a 429's text names. */
      readonly refusedBy?: WindowName | undefined
      /** The parsed Retry-After. */
      readonly holdMs?: number | undefined
    }
  /** Nothing left this machine, so nothing was charged. */
  | { readonly type: 'not-sent' }
  /** Sent at least in part and not answered: it may have been charged. */
  | { readonly type: 'unanswered'; readonly at: number }

/** Permission to send one request. Call `complete` exactly once, however the request ends. */
export interface PacingPermit {
  complete(outcome: PacingOutcome): Promise<void>
}

/** One window as the client counts it. */
export interface QuotaWindow {
  /** In units; null where the service shows that the account has no quota, as is `remaining`. */
  readonly limit: number | null
  /** A lower limit that is believed for now, until when (epoch milliseconds) and why; absent where `limit` counts. */
  readonly believed?: { readonly limit: number; readonly until: number; readonly reason: 'refusal' }
  readonly used: number
  readonly remaining: number | null
  /** When this window has room for such a request, in epoch milliseconds. */
  readonly fitsAt: Readonly<Record<'upload' | 'delete' | 'other', number>>
}

/** The windows that are counted: none with `pacing: false`, none for which a limit of null was given. */
export type Quota = Readonly<Partial<Record<WindowName, QuotaWindow>>>

/** A request would have to wait longer than `maxWaitMs`. */
export class WaitTooLongError extends Error {
  override readonly name = 'WaitTooLongError'
  readonly wait: PacingWait

  constructor(wait: PacingWait) {
    super(`The next request may be sent in ${Math.ceil(wait.delayMs / 1_000)} s`)
    this.wait = wait
  }
}

/** Why no wait makes room for a request. */
export interface NeverFits {
  readonly window: WindowName
  /** What the request costs, in units. */
  readonly units: number
  /** What the window allows us, in units. */
  readonly limit: number
}

/** @param what names the request, such as `an upload` */
export function neverFitsText({ window, units, limit }: NeverFits, what: string): string {
  return `${what} costs ${units} units, the ${window} allows ${limit}`
}

/** A request costs more than a window allows. */
export class NeverFitsError extends Error {
  override readonly name = 'NeverFitsError'
  readonly reason: NeverFits

  constructor(reason: NeverFits) {
    super(neverFitsText(reason, 'the request'))
    this.reason = reason
  }
}
