import type { LedgerProblem } from '../../index.ts'
import { reasonInText } from '../../system/system-errors.ts'
import type { CliEvent } from '../output/events.ts'

/** Warns that the forecast and `fh quota` take the quota for unused, which it may not be. */
export function ledgerUnreadable({ folder, reason }: LedgerProblem): CliEvent {
  return {
    type: 'warning',
    text: `Earlier runs are not counted: cannot read ${folder}: ${reasonInText(reason)}`,
    hint: 'Make it readable, or name another folder in FH_STATE_DIR',
  }
}

/** Warns that other processes do not see what this run uses. */
export function ledgerUnusable({ folder, reason }: LedgerProblem): CliEvent {
  return {
    type: 'warning',
    text: `Quota is not shared with other fh processes: cannot use ${folder}: ${reasonInText(reason)}`,
    hint: 'Name a folder that can be written in FH_STATE_DIR',
  }
}
