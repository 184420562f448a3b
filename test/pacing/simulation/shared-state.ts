import type { Clock } from '../../../src/clock.ts'
import type { Ledger } from '../../../src/pacing/ledger.ts'
import { createMemoryLedger } from '../../../src/pacing/memory-ledger.ts'
import { createQuotaModel } from '../../../src/pacing/quota-model/quota-model.ts'

/** What processes share: their ledger, once one of them has opened it. */
export interface SharedState {
  ledger?: Ledger
}

/** Decision and entry happen in one instant, which is what a real file amounts to. */
export function openLedger(state: SharedState, clock: Clock): Ledger {
  state.ledger ??= createMemoryLedger(createQuotaModel(), clock)
  return state.ledger
}
