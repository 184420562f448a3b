import { Pacer } from '../../src/pacing/create-pacer.ts'
import { QuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { createMemoryLedger } from '../../src/pacing/shared/store-ledger.ts'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { redisLedgerOver } from '../../test/helpers/redis-quota.ts'
import { refusalCharges, usualModel } from '../../test/pacing/simulation/model.ts'
import { ours, paced } from '../../test/pacing/simulation/ours.ts'
import { combined, seedsFrom } from '../../test/pacing/simulation/scenarios.ts'
import { createSimulatedRedis, type SimulatedRedis } from '../../test/pacing/simulation/simulated-redis.ts'
import type { SharedState } from '../../test/pacing/simulation/strategy.ts'
import { type Summary, summarize } from '../../test/pacing/simulation/summary.ts'

interface TableOptions {
  /** Decides all that is random. */
  readonly seed: number
  /** Fewer runs, for a look. */
  readonly quick: boolean
}

/** Numbers of uploads, and of seeds in a quick and in a full table. */
const sizes = [
  { files: 10, quickSeeds: 3, seeds: 40 },
  { files: 100, quickSeeds: 2, seeds: 20 },
  { files: 200, quickSeeds: 1, seeds: 10 },
  { files: 400, quickSeeds: 1, seeds: 10 },
  { files: 1_000, quickSeeds: 1, seeds: 5 },
  { files: 5_000, quickSeeds: 0, seeds: 2 },
] as const

/** Our pacer by kind of window and number of files, over all ways of charging refusals. */
export async function printByKind({ seed, quick }: TableOptions): Promise<void> {
  let uploads = 0
  const rows: Record<string, string | number>[] = []
  for (const kind of windowKinds) {
    const row: Record<string, string | number> = { windows: kind }
    let refusals = 0
    for (const { files, ...counts } of sizes) {
      const seeds = seedsFrom(seed, quick ? counts.quickSeeds : counts.seeds)
      if (seeds.length === 0) continue
      const summary = await summarize(ours, combined({ kinds: [kind], refusalCharges, files, seeds }))
      row[`${files} files`] = ratioCell(summary)
      refusals += summary.totalRefusals
      uploads += summary.runs * files
    }
    rows.push({ ...row, refusals })
  }
  console.log(
    `\nBy kind of window: mean (highest) ratio of makespan to optimum; ${uploads.toLocaleString('en')} uploads`,
  )
  console.table(rows)
}

const [MANY_UNITS, SEEDS] = [100_000, 10]
const limits = { ...usualModel.limits, minute: MANY_UNITS, hour: MANY_UNITS, day: MANY_UNITS }

const oneMachine = paced('one folder', ({ clock, state }) => {
  state.ledger ??= createMemoryLedger(new QuotaModel({ limits }), clock)
  return new Pacer({ clock, ledger: state.ledger })
})

const servers = new WeakMap<SharedState, SimulatedRedis>()
/** Milliseconds to Redis, one way. */
const DISTANCE_MS: readonly [number, number] = [0, 25]

const machines = paced(
  'Redis',
  ({ clock, state, random }) => {
    const redis = servers.get(state) ?? createSimulatedRedis(clock)
    servers.set(state, redis)
    const { ledger } = redisLedgerOver({ link: redis.connect(DISTANCE_MS, random), clock, limits })
    return new Pacer({ clock, ledger })
  },
  2,
)

const sharing = [
  { strategy: oneMachine, processes: 1, files: 16 },
  { strategy: oneMachine, processes: 4, files: 16 },
  { strategy: oneMachine, processes: 4, files: 300 },
  { strategy: machines, processes: 8, files: 16 },
]

/** Processes on one state folder, and machines that share a Redis, where no window but the burst of 20 units fills. */
export async function printBurst({ seed }: TableOptions): Promise<void> {
  const rows: Record<string, string | number>[] = []
  for (const { strategy, processes, files } of sharing) {
    const row: Record<string, string | number> = { processes, share: strategy.name, files }
    let refusals = 0
    for (const kind of windowKinds) {
      const scenarios = combined({ files, processes, kinds: [kind], seeds: seedsFrom(seed, SEEDS), model: { limits } })
      const summary = await summarize(strategy, scenarios)
      row[kind] = ratioCell(summary)
      refusals += summary.totalRefusals
    }
    rows.push({ ...row, refusals })
  }
  console.log('\nOnly the burst binds: mean (highest) ratio of makespan to optimum')
  console.table(rows)
}

/** `1.03 (1.08)`, and the share of runs that did not finish. */
function ratioCell({ meanRatio, maxRatio, unfinished, runs }: Summary): string {
  if (unfinished === runs) return 'never done'
  const late = unfinished === 0 ? '' : `, ${Math.round((100 * unfinished) / runs)} % never done`
  return `${meanRatio.toFixed(2)} (${maxRatio.toFixed(2)})${late}`
}
