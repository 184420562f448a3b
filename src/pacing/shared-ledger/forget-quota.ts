import { existsSync } from 'node:fs'
import { systemClock } from '../../clock.ts'
import { createLedgerGenerations } from './ledger-generations.ts'
import { createFileJournal } from './ledger-log.ts'
import { type SharedLedgerOptions, sharedLedgerFolder } from './shared-ledger.ts'

/**
 * Forgets what the processes of this machine have counted and learned for a key; requests that are under way stay
 * counted. A line says so in the ledger, so that processes at work hear of it.
 *
 * @returns false where there is no ledger
 * @throws the system's error where it cannot be written
 */
export function forgetSharedQuota(options: Omit<SharedLedgerOptions, 'limits'>): boolean {
  const folder = sharedLedgerFolder(options)
  if (!existsSync(folder)) return false
  const { now } = options.clock ?? systemClock
  const journal = createFileJournal(createLedgerGenerations(folder), now, { deliver() {}, restart() {} })
  try {
    journal.append({ type: 'forget' })
  } finally {
    journal.close?.()
  }
  return true
}
