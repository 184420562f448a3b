import type { Clock } from '../../../../src/clock.ts'
import { createCutOffLedgers } from '../../../../src/fleet/cut-off-ledgers.ts'
import { createOutageLedger } from '../../../../src/fleet/outage-ledger.ts'
import { createQuotaModel } from '../../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaLimits } from '../../../../src/protocol/rate-limits.ts'
import { ownerOf } from '../../pacing/shared-ledger/ledger-rig.ts'
import { type PretendedLink, type PretendedRedis, pretendedLedger } from './pretended-fleet.ts'

export interface RunnerOptions {
  readonly clock: Clock
  readonly redis: PretendedRedis
  readonly name: string
  readonly folder?: string
  readonly assumedRunners?: number
  readonly callMs?: number
  readonly limits?: Partial<QuotaLimits>
  readonly pid?: number
  readonly hasEnded?: (pid: number) => boolean
}

/** A runner of a fleet whose way to Redis can be cut. */
export function createRunner({
  clock,
  redis,
  name,
  folder,
  assumedRunners = 8,
  callMs = 0,
  limits = {},
  ...process
}: RunnerOptions) {
  const { pid = 1, hasEnded = () => false } = process
  const link: PretendedLink = { isCut: false, callMs, failed: 0, mostRejoins: 0 }
  const told: string[] = []
  const fleet = pretendedLedger({ redis, link, clock, runner: name, limits })
  const ledger = createOutageLedger({
    fleet,
    clock,
    cutOff: createCutOffLedgers({
      clock,
      runner: name,
      assumedRunners,
      folder,
      createModel: () => createQuotaModel({ limits }),
      onProblem: (reason) => told.push(`disk: ${reason}`),
      owner: ownerOf(pid),
      hasEnded: (owner) => hasEnded(owner.pid),
    }),
    onProblem: ({ kind }) => told.push(kind),
    onReturn: () => told.push('back'),
    random: () => 0.5,
  })
  return { ledger, link, told, fleet }
}
