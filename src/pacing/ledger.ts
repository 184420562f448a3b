import type { WindowName } from '../protocol/rate-limits.ts'
import type { NeverFits } from './never-fits.ts'
import type { PacingOutcome, Quota, WaitSource } from './pacer.ts'

/**
 * One thing that happened to a key's quota. What is in force at any moment is the fold of all entries in their order:
 * entries are facts only, everything inferred from them is worked out anew by whoever reads them.
 */
export type LedgerEntry =
  /** A request of this cost, in units, is about to be sent. */
  | {
      readonly type: 'reserve'
      readonly id: string
      readonly at: number
      readonly cost: number
      /** Whether the clock that dates it was set since the reservation before. */
      readonly afterSetting?: boolean
    }
  /** How a reserved request ended. */
  | { readonly type: 'settle'; readonly id: string; readonly outcome: PacingOutcome }
  /** A reservation that came too late to be let through: it never was. */
  | { readonly type: 'cancel'; readonly id: string }

/** Whether a request may be sent now, and what holds it back otherwise. */
export type Verdict =
  | { readonly type: 'now' }
  | {
      readonly type: 'later'
      /** Epoch milliseconds; undefined where it depends on a request in flight, so that the next settlement tells. */
      readonly at: number | undefined
      readonly window: WindowName | undefined
      readonly source: WaitSource
    }

/** Pure: the fold of entries. Knows no file, no timer, and no clock but the `now` it is handed. */
export interface LedgerBook {
  apply(entry: LedgerEntry): void
  verdict(cost: number, now: number): Verdict
  /** Why a request of this cost could never go, by the limits as they were given; undefined where it could. */
  neverFits(cost: number): NeverFits | undefined
  windows(now: number): Quota
}

export type Reservation =
  | { readonly type: 'granted'; readonly id: string }
  | { readonly type: 'denied'; readonly verdict: Verdict & { readonly type: 'later' } }
  | { readonly type: 'never'; readonly reason: NeverFits }

/** Where a key's entries are kept: one process's memory, or a file that all processes of a machine share. */
export interface Ledger {
  /** Reserves if the book allows it now; otherwise says until when to wait. */
  reserve(cost: number, now: number): Promise<Reservation>
  /** Told how a reserved request ended; whoever cannot take it down throws at the next reservation, not here. */
  settle(id: string, outcome: PacingOutcome): Promise<void>
  /** The windows as counted now. */
  windows(now: number): Quota
  /**
   * Resolves when an entry has been made since the last reservation was denied: what was in flight may have landed.
   * Rejects with `signal.reason`.
   */
  changed(signal?: AbortSignal): Promise<void>
  /** Lets go of what is open once nothing is under way any more; used again, it is opened again. */
  close?(): void
}
