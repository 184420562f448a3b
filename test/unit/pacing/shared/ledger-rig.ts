import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../../../src/pacing/shared/quota-state.ts'
import { StoreLedger } from '../../../../src/pacing/shared/store-ledger.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { readQuotaRows, SqliteQuota } from '../../../../src/store/sqlite-quota.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { killable } from '../../../helpers/killable.ts'

export interface PretendedProcess {
  readonly ledger: Ledger
  readonly problems: readonly string[]
  /** The kernel closes its files. */
  kill(): void
  /** The disk takes no row any more. */
  fill(): void
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
      const { run, handles } = killable(
        () => new SqliteQuota({ ...place, clock, onProblem: (reason) => void problems.push(reason) }),
      )
      const ledger = new StoreLedger({ store: run, clock, createModel: () => new QuotaModel({ limits }) })
      const fill = () => {
        for (const handle of handles) handle.exec('PRAGMA query_only = ON')
      }
      return { ledger, problems, kill: () => run.close(), fill }
    },
  }
}
