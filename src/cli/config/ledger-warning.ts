import type { LedgerProblem } from '../../index.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { CliEvent } from '../output/events.ts'

/** What is reckoned with nothing used may be far from what the service has counted. */
export function ledgerWarning({ folder, reason }: LedgerProblem): CliEvent {
  return {
    type: 'warning',
    text: `Nothing is known of earlier runs, for ${folder} cannot be read: ${reasonInText(reason)}`,
    hint: 'Make it readable, or name another folder in FH_STATE_DIR',
  }
}
