import type { Clock } from '../../../src/clock.ts'
import type { Ledger } from '../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'
import { createMemoryLedger } from '../../../src/pacing/shared/store-ledger.ts'
import type { Random } from './random.ts'
import type { SimulatedAnswer } from './service.ts'

/** What one process works with. */
export interface ProcessContext {
  /** The machine's clock, which may be wrong. */
  readonly clock: Clock
  readonly random: Random
  /** What outlives a process, and may be shared with others. */
  readonly state: SharedState
}

/** Sends one request of that cost, in units. */
export type Send = (cost: number) => Promise<SimulatedAnswer>

/** One way of getting many files uploaded. */
export interface Strategy {
  readonly name: string
  /** How many uploads one process has under way at a time. */
  readonly jobs: number
  /** Starts a process. The returned function uploads one file and resolves to whether that succeeded. */
  readonly start: (context: ProcessContext) => (send: Send) => Promise<boolean>
}

/** What processes share: their ledger, once one of them has opened it. */
export interface SharedState {
  ledger?: Ledger
}

/** Decision and entry happen in one instant, which is what a real file amounts to. */
export function openLedger(state: SharedState, clock: Clock): Ledger {
  state.ledger ??= createMemoryLedger(new QuotaModel(), clock)
  return state.ledger
}
