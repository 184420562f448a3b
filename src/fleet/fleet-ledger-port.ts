import type { Ledger } from '../pacing/ledger.ts'
import type { LedgerLine } from '../pacing/shared-ledger/ledger-line.ts'

/** The ledger of a fleet while Redis answers. `reserve`, `settle` and `changed` throw FleetProblem when it does not. */
export interface FleetLedger extends Ledger {
  /** Names this process among the runners. The ids of its reservations begin with this name and a full stop. */
  readonly runner: string
  /**
   * What is known of the fleet, for a ledger that has to continue alone. Dates are of this machine's clock, in epoch
   * milliseconds. Requests of other runners may be among the lines without an ending.
   */
  known(): KnownFleet
  /**
   * Tries once to reach Redis again, for at most about a second. Adds these lines, dated by this machine's clock, to the
   * fleet's log; lines that it has already change nothing. A reservation without an ending among them is a request of this
   * runner that is under way: `settle` ends it. A reservation that threw FleetProblem, and was written all the same, is
   * cancelled.
   *
   * @throws FleetProblem if Redis cannot be used yet; some of the lines may have been added
   */
  rejoin(lines: readonly LedgerLine[]): Promise<void>
}

export interface KnownFleet {
  readonly lines: readonly LedgerLine[]
  /** Runners at the last answer of Redis; undefined before the first. */
  readonly runners: number | undefined
  /** When Redis last answered; undefined before the first answer. */
  readonly heardAt: number | undefined
}
