import { createPacer } from '../../src/pacing/create-pacer.ts'
import { createMemoryLedger } from '../../src/pacing/memory-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { redisLedgerOver } from '../../test/helpers/redis-quota.ts'
import { usualModel } from '../../test/pacing/simulation/model.ts'
import { paced } from '../../test/pacing/simulation/ours.ts'
import { combined, seedsFrom } from '../../test/pacing/simulation/scenarios.ts'
import { createSimulatedRedis, type SimulatedRedis } from '../../test/pacing/simulation/simulated-redis.ts'
import type { SharedState } from '../../test/pacing/simulation/strategy.ts'
import { summarize } from '../../test/pacing/simulation/summary.ts'
import { ratioCell, short } from './cells.ts'

const [MANY_UNITS, SEEDS] = [100_000, 10]
const limits = { ...usualModel.limits, minute: MANY_UNITS, hour: MANY_UNITS, day: MANY_UNITS }
const createModel = () => createQuotaModel({ limits })

const oneMachine = paced('one folder', ({ clock, state }) => {
  state.ledger ??= createMemoryLedger(createModel(), clock)
  return createPacer({ clock, ledger: state.ledger })
})

const servers = new WeakMap<SharedState, SimulatedRedis>()
/** Milliseconds to Redis, one way. */
const DISTANCE_MS: readonly [number, number] = [0, 25]

const fleet = paced(
  'Redis',
  ({ clock, state, random }) => {
    const redis = servers.get(state) ?? createSimulatedRedis(clock)
    servers.set(state, redis)
    const { ledger } = redisLedgerOver({ link: redis.connect(DISTANCE_MS, random), clock, limits })
    return createPacer({ clock, ledger })
  },
  2,
)

const conditions = [
  { strategy: oneMachine, processes: 1, files: 16 },
  { strategy: oneMachine, processes: 4, files: 16 },
  { strategy: oneMachine, processes: 4, files: 300 },
  { strategy: fleet, processes: 8, files: 16 },
]

/** Processes on one state folder, and runners that share a Redis, with a burst of 20 units and no other window that fills. */
export async function printBurst(seed: number): Promise<void> {
  const rows: Record<string, string | number>[] = []
  for (const { strategy, processes, files } of conditions) {
    const row: Record<string, string | number> = { processes, share: strategy.name, files }
    let refusals = 0
    for (const kind of windowKinds) {
      const scenarios = combined({ files, processes, kinds: [kind], seeds: seedsFrom(seed, SEEDS), model: { limits } })
      const summary = await summarize(strategy, scenarios)
      row[kind] = ratioCell(summary)
      refusals += summary.meanRefusals
    }
    rows.push({ ...row, refusals: short(refusals) })
  }
  console.log('Only the burst binds: mean (highest) ratio to the optimum by kind of window')
  console.table(rows)
}
