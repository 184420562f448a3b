import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../../../src/pacing/shared/compaction.ts'
import { StoreLedger } from '../../../../src/pacing/shared/store-ledger.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { readQuotaRows, SqliteQuota } from '../../../../src/store/sqlite-quota.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'

export interface PretendedProcess {
  readonly ledger: Ledger
  readonly problems: readonly string[]
  /** The kernel closes its files. */
  kill(): void
}

/** Ledgers of several pretended processes in one folder. */
export function createLedgerRig(folder: string) {
  const clock = instantClock()
  const place = { folder, account: 'account', form: rowForm }
  return {
    clock,
    folder,
    rows: () => readQuotaRows(place),
    open({ limits }: { readonly limits?: QuotaLimits } = {}): PretendedProcess {
      const problems: string[] = []
      const store = new SqliteQuota({ ...place, clock, onProblem: (reason) => void problems.push(reason) })
      const ledger = new StoreLedger({ store, clock, createModel: () => new QuotaModel({ limits }) })
      return { ledger, problems, kill: () => store.close() }
    },
  }
}
