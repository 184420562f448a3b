import { invalidValue } from '../../src/checks/coded-error.ts'
import type { FaultControl } from '../control/fault-control.ts'
import type { FaultMatch } from '../faults/fault.ts'
import type { ArmedFault } from '../faults/fault-book.ts'
import type { GivenFault } from '../faults/fault-parser.ts'

/** A fault of the test's own account. */
export interface AccountFault extends Omit<GivenFault, 'match'> {
  readonly match?: Omit<FaultMatch, 'account_id'>
}

/** The faults of one account, and how to take back what is left of them. */
export function accountFaults(control: FaultControl, accountId: number) {
  const added = new Set<number>()
  /** Takes a fault back before the test ends. */
  const remove = (id: number): void => {
    added.delete(id)
    control.remove(id)
  }
  const faults = {
    /**
     * Adds a fault, behind those added before; requests of other accounts pass it by.
     * @throws TypeError naming the field and what it takes
     */
    add(fault: AccountFault): ArmedFault {
      const match: FaultMatch = { account_id: accountId, ...fault.match }
      if (match.account_id !== accountId) {
        throw invalidValue(
          `faults.add strikes account ${accountId}, this test's own; for account ${match.account_id} call emulator.control.faults.add`,
        )
      }
      const armed = control.add({ ...fault, match })
      added.add(armed.id)
      return armed
    },
    remove,
  }
  return {
    faults,
    takeBack() {
      // A reset, or a test that set all faults, has removed some already.
      for (const { id } of control.list()) if (added.has(id)) remove(id)
    },
  }
}

/** Failures that a test orders for its own account. */
export type AccountFaults = ReturnType<typeof accountFaults>['faults']
