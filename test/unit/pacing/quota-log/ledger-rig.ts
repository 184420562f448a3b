import { openFileLog } from '../../../../src/log/file-log.ts'
import { createGenerations, type Generations } from '../../../../src/log/generations.ts'
import type { Log, LogReader } from '../../../../src/log/log.ts'
import type { Ledger } from '../../../../src/pacing/ledger.ts'
import { ledgerForm } from '../../../../src/pacing/quota-log/ledger-compaction.ts'
import type { LedgerLine } from '../../../../src/pacing/quota-log/ledger-line.ts'
import { createLogLedger } from '../../../../src/pacing/quota-log/log-ledger.ts'
import { createLogHome } from '../../../../src/pacing/quota-log/quota-home.ts'
import { createQuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import type { ProcessOwner } from '../../../../src/system/process-identity.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'

export const noLimits: QuotaLimits = { burst: null, minute: null, hour: null, day: null }

export function ownerOf(pid: number): ProcessOwner {
  return { host: 'host', boot: 'boot', space: 'space', pid, start: String(pid) }
}

export interface PretendedProcess {
  readonly ledger: Ledger
  readonly problems: readonly string[]
}

export interface PretendedOptions {
  readonly pid: number
  readonly limits?: QuotaLimits
  /** Wraps the log, to act or fail between the ledger and its files. */
  readonly around?: (log: Log<LedgerLine>) => Log<LedgerLine>
  readonly generations?: (real: Generations) => Generations
}

/** Ledgers of several pretended processes in one folder. */
export function createLedgerRig(folder: string) {
  const clock = instantClock()
  const dead = new Set<number>()
  const openLog = (real: Generations, reader: LogReader<LedgerLine>) =>
    openFileLog({ generations: real, form: ledgerForm, now: clock.now, reader })
  return {
    clock,
    folder,
    kill: (pid: number) => dead.add(pid),
    /** Another process reserves at this moment. */
    reserved(cost: number) {
      const log = openLog(createGenerations(folder), { deliver() {}, restart() {} })
      log.append({ type: 'reserve', id: 'other.1', at: clock.now(), cost, owner: ownerOf(100) })
      log.close?.()
    },
    open({ pid, limits, around = (log) => log, generations = (real) => real }: PretendedOptions): PretendedProcess {
      const problems: string[] = []
      const home = createLogHome({
        name: `process ${pid}`,
        clock,
        createModel: () => createQuotaModel({ limits }),
        openLog: (reader) => around(openLog(generations(createGenerations(folder)), reader)),
        onProblem: (reason) => problems.push(reason),
        owner: ownerOf(pid),
        hasEnded: (owner) => dead.has(owner.pid),
      })
      return { ledger: createLogLedger({ clock, home }), problems }
    },
  }
}
