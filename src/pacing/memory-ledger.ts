import { type Clock, steadyClock } from '../clock.ts'
import type { Ledger } from './ledger.ts'
import type { QuotaModel } from './quota-model/quota-model.ts'
import { StoreLedger } from './shared/store-ledger.ts'

/**
 * A ledger for this process only: nobody else adds rows, so none are kept. It runs on the clock's monotonic time, if there is
 * one, so that setting the clock does not affect its counts.
 */
export function createMemoryLedger(model: QuotaModel, clock: Clock): Ledger {
  const steady = steadyClock(clock)
  const alone = { news: [], isWhole: false, uncertainMs: 0, run: () => '', lives: () => true }
  return new StoreLedger({
    store: {
      isNear: true,
      turn(decide) {
        const { result, onAdded } = decide({ ...alone, now: steady.now() })
        onAdded?.([])
        return result
      },
      pollMs: () => Number.POSITIVE_INFINITY,
      close() {},
    },
    clock,
    createModel: () => model,
  })
}
