import type { Clock } from '../clock.ts'
import type { QuotaLimits, WindowName } from '../protocol/rate-limits.ts'
import type { NeverFits, PacingOutcome, Quota, WaitSource } from './pacer.ts'

/** Whether a request may be sent now, and otherwise what holds it back. */
export type Verdict = { readonly type: 'now' } | Later

export interface Later {
  readonly type: 'later'
  /** Epoch milliseconds; undefined while it depends on a request under way, until that one has ended. */
  readonly at: number | undefined
  readonly window: WindowName | undefined
  readonly source: WaitSource
  /** Where requests of others are sent first, `at` is an estimate: when this one could be sent without them. */
  readonly soonest?: { readonly at: number | undefined }
  /** When to look again, where that is before `at`. */
  readonly lookAt?: number | undefined
}

export type Reservation =
  | { readonly type: 'granted'; readonly id: string }
  | { readonly type: 'denied'; readonly verdict: Later }
  | { readonly type: 'never'; readonly reason: NeverFits }

/** Counts the requests of a key: of one process, of all processes of a machine, or of all machines that share a Redis. */
export interface Ledger {
  /** Reserves if all windows have room now; otherwise says how long to wait. */
  reserve(cost: number): Promise<Reservation>
  /** Notes how a reserved request ended. An error of writing surfaces at the next `reserve`, not here. */
  settle(id: string, outcome: PacingOutcome): Promise<void>
  /** The windows as counted now. */
  windows(): Quota
  /** Resolves once room may have come since the last denied reservation. Rejects with `signal.reason`. */
  changed(signal?: AbortSignal): Promise<void>
  /** The request that was denied last is not waited for any more. An error of writing is left to the next `reserve`. */
  withdraw?(): Promise<void>
  /** Closes open files once no request is under way; the next use opens them again. */
  close?(): void
}

/** The key whose requests a ledger counts, and what is assumed of its quota. */
export interface LedgerAccount {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  /** In units; null is a window without a limit. Default of each: the spec's (spec 8). */
  readonly limits: Partial<QuotaLimits>
  /** The folder for state that outlives a process; undefined where nothing is kept. */
  readonly folder: string | undefined
  /** How long a request waits for a server that cannot be reached, in milliseconds. Default: 10,000. */
  readonly patienceMs?: number | undefined
  /** Called each time a request begins to wait for a server that cannot be reached. */
  readonly onOutage?: ((outage: LedgerOutage) => void) | undefined
  /** Called once after each outage, where the server answers again. */
  readonly onReturn?: (() => void) | undefined
}

/** Why a ledger that several machines share cannot be reached. Contains no password. */
export interface LedgerOutage {
  readonly reason: string
  /** What to do about it. */
  readonly hint: string | undefined
}

/** Opens the ledger of a key, as `redisLedger(url)` does: the client knows key, limits and clock. */
export interface LedgerProvider {
  open(account: LedgerAccount): Ledger
}
