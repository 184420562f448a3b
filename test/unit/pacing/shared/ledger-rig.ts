import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../../../src/pacing/shared/compaction.ts'
import { lateRow, type QuotaRow } from '../../../../src/pacing/shared/quota-row.ts'
import { StoreLedger } from '../../../../src/pacing/shared/store-ledger.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { QuotaAlone } from '../../../../src/store/quota-alone.ts'
import type { QuotaStore } from '../../../../src/store/quota-store.ts'
import { readQuotaRows, SqliteQuota } from '../../../../src/store/sqlite-quota.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'

export interface PretendedProcess {
  readonly ledger: Ledger
  readonly problems: readonly string[]
  /** The kernel closes its files. */
  kill(): void
}

export interface PretendedOptions {
  readonly limits?: QuotaLimits
  /** Wraps the store, to act or fail between the ledger and its database. */
  readonly around?: (store: QuotaStore<QuotaRow>) => QuotaStore<QuotaRow>
}

/** The calls of a store, to wrap one of them. */
export const storeCalls = (store: QuotaStore<QuotaRow>): QuotaStore<QuotaRow> => ({
  isNear: store.isNear,
  turn: (decide) => store.turn(decide),
  pollMs: (leftMs, ahead) => store.pollMs(leftMs, ahead),
  close: () => store.close(),
})

/** Ledgers of several pretended processes in one folder. */
export function createLedgerRig(folder: string) {
  const clock = instantClock()
  const place = { folder, account: 'account', form: rowForm }
  return {
    clock,
    folder,
    rows: () => readQuotaRows(place),
    open({ limits, around = (store) => store }: PretendedOptions = {}): PretendedProcess {
      const problems: string[] = []
      const database = new SqliteQuota({ ...place, clock })
      const onProblem = (reason: string) => void problems.push(reason)
      const store = new QuotaAlone({ store: around(database), clock, late: lateRow, onProblem })
      const ledger = new StoreLedger({ store, clock, createModel: () => new QuotaModel({ limits }) })
      return { ledger, problems, kill: () => database.close() }
    },
  }
}
