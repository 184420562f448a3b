import { join } from 'node:path'
import type { RedisLink } from '../../log/redis/redis-link.ts'
import type { LedgerAccount } from '../ledger.ts'
import { ledgerFolder } from '../quota-log/ledger-file.ts'
import { createLogLedger } from '../quota-log/log-ledger.ts'
import { createQuotaModel } from '../quota-model/quota-model.ts'
import { createFleetHome } from './fleet-home.ts'

/**
 * The ledger of one runner: in Redis, and on its own while Redis cannot be reached.
 * @param assumedRunners how many runners there are if Redis is never reached
 */
export function openRunnerLedger(link: RedisLink, account: LedgerAccount, assumedRunners?: number) {
  const { clock, onOutage, onReturn } = account
  const folder = account.folder && ledgerFolder(aloneFolder(account.folder), account.baseUrl, account.apiKey)
  const fleet = createFleetHome({
    link,
    clock,
    createModel: () => createQuotaModel(account),
    assumedRunners,
    folder,
    onProblem: (reason) => onOutage?.({ reason: `${folder} cannot be used: ${reason}`, hint: undefined }),
    onOutage: ({ message, hint }) => onOutage?.({ reason: message, hint }),
    onReturn: () => onReturn?.(),
  })
  const ledger = createLogLedger({ clock, home: fleet.home })
  return {
    ledger,
    fleet,
    /** Tells the others that this runner is done, if it can reach them. Never fails. */
    async leave() {
      fleet.heartbeat.end()
      if (!fleet.heartbeat.isKnown() || fleet.isCutOff()) return
      // A place whose cancellation has no answer ends with the lease.
      await ledger.withdraw?.()
      await fleet.log.leave().catch(() => {})
    },
  }
}

export type RunnerLedger = ReturnType<typeof openRunnerLedger>

/**
 * The folder for state of runners that are cut off: apart from the ledger of runs without a fleet, which the fleet does not
 * count.
 */
export function aloneFolder(folder: string): string {
  return join(folder, 'cut-off')
}
