import { type Clock, steadyClock } from '../clock.ts'
import { turnAlone } from '../store/quota-store.ts'
import type { Ledger } from './ledger.ts'
import type { QuotaModel } from './quota-model/quota-model.ts'
import { StoreLedger } from './shared/store-ledger.ts'

/**
 * A ledger for this process only: nobody else adds rows, so none are kept. It runs on the clock's monotonic time, if there is
 * one, so that setting the clock does not affect its counts.
 */
export function createMemoryLedger(model: QuotaModel, clock: Clock): Ledger {
  const steady = steadyClock(clock)
  return new StoreLedger({
    store: {
      isNear: true,
      turn: (decide) => turnAlone(decide, steady.now()),
      pollMs: () => Number.POSITIVE_INFINITY,
      close() {},
    },
    clock,
    createModel: () => model,
  })
}
