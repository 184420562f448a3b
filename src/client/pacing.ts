import type { Clock } from '../clock.ts'
import { createPacer } from '../pacing/create-pacer.ts'
import type { Ledger, QuotaModel } from '../pacing/ledger.ts'
import { createMemoryLedger } from '../pacing/memory-ledger.ts'
import type { Pacer } from '../pacing/pacer.ts'
import { createQuotaModel } from '../pacing/quota-model/quota-model.ts'
import { createSharedLedger, type LedgerProblem } from '../pacing/shared-ledger/shared-ledger.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import { stateFolder } from '../system/state-folder.ts'
import type { ClientOptions } from './options.ts'

/** The account whose requests are paced. */
export interface Account {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  /** Called when the shared ledger cannot be used. */
  readonly onProblem: (problem: LedgerProblem) => void
}

/**
 * Creates the pacer. Closing it closes a ledger that was made for it, but not one of the caller's.
 *
 * @throws RangeError if a limit or the reserve is not a number of units, or the reserve leaves nothing
 */
export function createClientPacer(pacing: ClientOptions['pacing'], account: Account): Pacer & { close(): void } {
  const ledger = ledgerOf(pacing, account)
  const isOwn = pacing === undefined || pacing === false || pacing.ledger !== ledger
  return {
    ...createPacer({ clock: account.clock, ledger }),
    close() {
      if (isOwn) ledger.close?.()
    },
  }
}

function ledgerOf(pacing: ClientOptions['pacing'] = {}, account: Account): Ledger {
  const ofThisProcess = (model: QuotaModel) => createMemoryLedger(model, account.clock)
  // A client that does not count still waits after refusals and reads headers.
  if (pacing === false) return ofThisProcess(createQuotaModel({ limits: unlimited }))
  const { ledger = 'memory', reserve = 0, folder = stateFolder(process.env) } = pacing
  if (typeof ledger === 'object') return ledger
  const { limits = {} } = pacing
  if (ledger === 'memory') return ofThisProcess(createQuotaModel({ limits, reserve }))
  return createSharedLedger({ ...account, limits, reserve, folder })
}
