import type { Clock } from '../../../../../src/clock.ts'
import { FleetProblem, type RedisLink } from '../../../../../src/log/redis/redis-link.ts'
import { createFleetHome } from '../../../../../src/pacing/fleet/fleet-home.ts'
import { parseLine } from '../../../../../src/pacing/fleet/fleet-line.ts'
import type { LedgerLine } from '../../../../../src/pacing/quota-log/ledger-line.ts'
import { createLogLedger } from '../../../../../src/pacing/quota-log/log-ledger.ts'
import { createQuotaModel } from '../../../../../src/pacing/quota-model/quota-model.ts'
import type { QuotaLimits } from '../../../../../src/protocol/rate-limits.ts'
import type { ProcessOwner } from '../../../../../src/system/process-identity.ts'
import { createSimulatedRedis, type SimulatedRedis } from '../../../../pacing/simulation/simulated-redis.ts'

export interface RunnerOptions {
  readonly clock: Clock
  readonly redis: SimulatedRedis
  readonly folder?: string
  readonly assumedRunners?: number
  readonly limits?: Partial<QuotaLimits>
  readonly pid?: number
  readonly hasEnded?: (pid: number) => boolean
}

export function ownerOf(pid: number): ProcessOwner {
  return { host: 'host', boot: 'boot', space: 'space', pid, start: String(pid) }
}

/** A Redis that gives no runner up. */
export const patientRedis = (clock: Clock) => createSimulatedRedis(clock, Number.POSITIVE_INFINITY)

/** A runner of a fleet whose way to Redis can be cut. */
export function createRunner({ clock, redis, folder, assumedRunners = 8, limits = {}, ...process }: RunnerOptions) {
  const { pid = 1, hasEnded = () => false } = process
  /** How long a call takes, whether the next one is written and its answer lost, and how many fail, or are made at once. */
  const link = { isCut: false, callMs: 0, losesAnswer: false, failed: 0, atOnce: 0, mostAtOnce: 0 }
  const told: string[] = []
  const way = redis.connect([0, 0], Math.random)
  const run: RedisLink['run'] = async (script, args) => {
    link.atOnce += 1
    link.mostAtOnce = Math.max(link.mostAtOnce, link.atOnce)
    await clock.sleep(link.callMs)
    const answer = link.isCut ? undefined : await way.run(script, args)
    link.atOnce -= 1
    if (!link.isCut && !link.losesAnswer) return answer
    link.losesAnswer = false
    link.failed += 1
    throw new FleetProblem('unreachable', 'Redis does not answer')
  }
  const { home, log } = createFleetHome({
    link: { ...way, run },
    clock,
    assumedRunners,
    folder,
    createModel: () => createQuotaModel({ limits }),
    onProblem: (reason) => told.push(`disk: ${reason}`),
    owner: ownerOf(pid),
    hasEnded: (owner) => hasEnded(owner.pid),
    onOutage: ({ kind }) => told.push(kind),
    onReturn: () => told.push('back'),
    random: () => 0.5,
  })
  return { ledger: createLogLedger({ clock, home }), link, told, log }
}

/** What a fleet has written of requests, in the order of Redis. */
export function linesOf(redis: SimulatedRedis): readonly Exclude<LedgerLine, { type: 'forget' | 'place' }>[] {
  const { entries } = JSON.parse(redis.dump()).logs.quota as { entries: [id: string, field: string, text: string][] }
  return entries.flatMap(([id, field, text]) => {
    const at = field === 'm' ? Number.parseFloat(text) : Number.parseInt(id, 10)
    const line = parseLine(text.slice(text.indexOf('{')), at)?.line
    return line && 'id' in line && line.type !== 'place' ? line : []
  })
}
