import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { QuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import { rowForm } from '../../../../src/pacing/shared/quota-state.ts'
import { StoreLedger } from '../../../../src/pacing/shared/store-ledger.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { readQuotaRows, SqliteQuota } from '../../../../src/store/sqlite-quota.ts'
import { StoreError } from '../../../../src/store/store-error.ts'
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
    /** @param isFull whether the disk takes no row */
    open({
      limits,
      isFull,
    }: {
      readonly limits?: QuotaLimits
      readonly isFull?: () => boolean
    } = {}): PretendedProcess {
      const problems: string[] = []
      const format: typeof rowForm.format = (row) => {
        if (isFull?.()) throw StoreError.ofDatabase('unusable', folder, 'no space left')
        return rowForm.format(row)
      }
      const form = { ...rowForm, format }
      const store = new SqliteQuota({ ...place, form, clock, onProblem: (reason) => void problems.push(reason) })
      const ledger = new StoreLedger({ store, clock, createModel: () => new QuotaModel({ limits }) })
      return { ledger, problems, kill: () => store.close() }
    },
  }
}
