import { join } from 'node:path'
import type { Ledger, LedgerAccount } from '../pacing/ledger.ts'
import { createQuotaModel } from '../pacing/quota-model/quota-model.ts'
import { sharedLedgerFolder } from '../pacing/shared-ledger/shared-ledger.ts'
import { createCutOffLedgers } from './cut-off-ledgers.ts'
import { createFleetLedger, type OpenFleetLedger } from './fleet-ledger.ts'
import { createOutageLedger } from './outage-ledger.ts'
import type { RedisLink } from './redis-link.ts'

/** The ledger of one runner: in Redis, and on its own while Redis cannot be reached. */
export interface RunnerLedger {
  readonly ledger: Ledger
  readonly fleet: OpenFleetLedger
  /** Tells the others that this runner is done, if it can reach them. Never fails. */
  leave(): Promise<void>
}

/** Assumed where neither Redis nor its URL says how many runners there are. */
export const usualRunners = 8

/** @param assumedRunners how many runners there are if Redis is never reached */
export function openRunnerLedger(link: RedisLink, account: LedgerAccount, assumedRunners = usualRunners): RunnerLedger {
  const { clock, onOutage, onReturn } = account
  const createModel = () => createQuotaModel(account)
  const fleet = createFleetLedger({ link, clock, createModel })
  const folder = account.folder && sharedLedgerFolder({ ...account, folder: aloneFolder(account.folder) })
  const cutOff = createCutOffLedgers({
    clock,
    createModel,
    runner: fleet.runner,
    assumedRunners,
    folder,
    onProblem: (reason) => onOutage?.({ reason: `${folder} cannot be used: ${reason}`, hint: undefined }),
  })
  let isCutOff = false
  const ledger = createOutageLedger({
    fleet,
    cutOff,
    clock,
    onProblem({ message, hint }) {
      isCutOff = true
      onOutage?.({ reason: message, hint })
    },
    onReturn() {
      isCutOff = false
      onReturn?.()
    },
  })
  return {
    ledger,
    fleet,
    async leave() {
      fleet.heartbeat.end()
      if (!fleet.heartbeat.isKnown() || isCutOff) return
      const withdrawn = fleet.withdraw?.() ?? Promise.resolve()
      // A place whose cancellation has no answer ends with the lease.
      await withdrawn.then(fleet.log.leave).catch(() => {})
    },
  }
}

/**
 * The folder for state of runners that are cut off: apart from the ledger of runs without a fleet, which the fleet does not
 * count.
 */
export function aloneFolder(folder: string): string {
  return join(folder, 'cut-off')
}
