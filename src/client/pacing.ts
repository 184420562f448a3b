import { invalidValue } from '../checks/coded-error.ts'
import type { Clock } from '../clock.ts'
import { createPacer } from '../pacing/create-pacer.ts'
import type { Ledger, LedgerOutage, QuotaModel } from '../pacing/ledger.ts'
import { createMemoryLedger } from '../pacing/memory-ledger.ts'
import type { Pacer } from '../pacing/pacer.ts'
import { createQuotaModel } from '../pacing/quota-model/quota-model.ts'
import type { LedgerProblem } from '../pacing/shared-ledger/shared-ledger.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import { optionalParts } from './optional-parts.ts'
import type { ClientOptions } from './options.ts'

/** The account whose requests are paced. */
export interface PacedAccount {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  /** Called when the shared ledger cannot be used. */
  readonly onProblem: (problem: LedgerProblem) => void
  /** Called when a ledger of several machines cannot be reached. */
  readonly onOutage: (outage: LedgerOutage) => void
  /** Called when it can be reached again. */
  readonly onReturn: () => void
}

/**
 * Creates the pacer. Closing it closes a ledger that was made for it, but not one of the caller's.
 *
 * @throws RangeError if a limit or the reserve is not a number of units, or the reserve leaves nothing
 */
export function createClientPacer(pacing: ClientOptions['pacing'], account: PacedAccount): Pacer & { close(): void } {
  const ledger = ledgerOf(pacing, account)
  const isOwn = pacing === undefined || pacing === false || pacing.ledger !== ledger
  return {
    ...createPacer({ clock: account.clock, ledger }),
    close() {
      if (isOwn) ledger.close?.()
    },
  }
}

function ledgerOf(
  pacing: ClientOptions['pacing'] = {},
  { onProblem, onOutage, onReturn, ...account }: PacedAccount,
): Ledger {
  const ofThisProcess = (model: QuotaModel) => createMemoryLedger(model, account.clock)
  // A client that does not count still waits after refusals and reads headers.
  if (pacing === false) return ofThisProcess(createQuotaModel({ limits: unlimited }))
  const { ledger = 'memory', reserve = 0, folder, limits = {} } = pacing
  const counted = { ...account, limits, reserve, folder }
  if (typeof ledger === 'object') return 'open' in ledger ? ledger.open({ ...counted, onOutage, onReturn }) : ledger
  if (ledger === 'memory') return ofThisProcess(createQuotaModel({ limits, reserve }))
  if (optionalParts.createSharedLedger) return optionalParts.createSharedLedger({ ...counted, onProblem })
  throw invalidValue(
    "pacing.ledger cannot be 'shared' in this bundled program, since it does not name createSharedLedger: give pacing.ledger: createSharedLedger({ folder, baseUrl, apiKey, limits: {} })",
  )
}
