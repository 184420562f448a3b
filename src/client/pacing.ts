import { invalidValue } from '../checks/coded-error.ts'
import type { Clock } from '../clock.ts'
import { createPacer } from '../pacing/create-pacer.ts'
import type { Ledger, QuotaModel } from '../pacing/ledger.ts'
import { createMemoryLedger } from '../pacing/memory-ledger.ts'
import type { Pacer } from '../pacing/pacer.ts'
import { createQuotaModel } from '../pacing/quota-model/quota-model.ts'
import { unlimited } from '../protocol/rate-limits.ts'
import type { ClientEvent } from './events.ts'
import { optionalParts } from './optional-parts.ts'
import type { ClientOptions } from './options.ts'

/** The account whose requests are paced. */
export interface PacedAccount {
  readonly baseUrl: string
  readonly apiKey: string
  readonly clock: Clock
  readonly report: (event: ClientEvent) => void
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

function ledgerOf(pacing: ClientOptions['pacing'] = {}, { report, ...account }: PacedAccount): Ledger {
  const ofThisProcess = (model: QuotaModel) => createMemoryLedger(model, account.clock)
  // A client that does not count still waits after refusals and reads headers.
  if (pacing === false) return ofThisProcess(createQuotaModel({ limits: unlimited }))
  const { ledger = 'memory', reserve = 0, folder, limits = {} } = pacing
  const counted = { ...account, limits, reserve, folder }
  const { createSharedLedger } = optionalParts
  if (typeof ledger === 'object' && !('open' in ledger)) return ledger
  if (typeof ledger === 'object') {
    return ledger.open({
      ...counted,
      onOutage: (outage) => report({ type: 'ledger-outage', ...outage }),
      onReturn: () => report({ type: 'ledger-return' }),
    })
  }
  if (ledger === 'memory') return ofThisProcess(createQuotaModel({ limits, reserve }))
  if (createSharedLedger) {
    return createSharedLedger({ ...counted, onProblem: (problem) => report({ type: 'ledger-problem', ...problem }) })
  }
  throw invalidValue(
    "pacing.ledger cannot be 'shared' in this bundled program, since it does not name createSharedLedger: give pacing.ledger: createSharedLedger({ folder, baseUrl, apiKey, limits: {} })",
  )
}
