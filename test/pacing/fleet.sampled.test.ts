import { describe, expect, test } from 'vitest'
import { Pacer } from '../../src/pacing/create-pacer.ts'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { StoreError } from '../../src/store/store-error.ts'
import { redisLedgerOver } from '../helpers/redis-quota.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { sample } from '../sampling/sample.ts'
import { allOf } from './simulation/model.ts'
import { paced } from './simulation/ours.ts'
import { simulate } from './simulation/simulate.ts'
import { createSimulatedRedis, type SimulatedRedis } from './simulation/simulated-redis.ts'
import type { ProcessContext, SharedState } from './simulation/strategy.ts'

/** After a loss the same command is run again. */
function startedAgain(pacer: Pacer): Pick<Pacer, 'acquire'> {
  const acquire: Pacer['acquire'] = async (request) => {
    try {
      return await pacer.acquire(request)
    } catch (error) {
      if (!(error instanceof StoreError && error.failure === 'lost')) throw error
      return await pacer.acquire(request)
    }
  }
  return { acquire }
}

/** Runners that share one simulated Redis, with up to 50 ms to it. */
function fleet(happens: (redis: SimulatedRedis, context: ProcessContext) => Promise<void> = async () => {}) {
  const servers = new WeakMap<SharedState, SimulatedRedis>()
  const all: SimulatedRedis[] = []
  const strategy = paced(
    'fleet',
    (context) => {
      const { clock, state, random } = context
      let redis = servers.get(state)
      if (redis === undefined) {
        redis = createSimulatedRedis(clock)
        servers.set(state, redis)
        all.push(redis)
        void happens(redis, context)
      }
      const { ledger } = redisLedgerOver({ link: redis.connect([0, 25], random), clock })
      return startedAgain(new Pacer({ clock, ledger }))
    },
    2,
  )
  return { strategy, calls: () => all.reduce((sum, redis) => sum + redis.calls(), 0) }
}

describe('twenty runners with up to 50 ms to Redis', takesLong(120, 'thousands of calls are simulated'), () => {
  test.for(sample(windowKinds, 2))(
    'are never refused by %s windows, and take at most a tenth longer than the optimum',
    async (kind) => {
      const { strategy, calls } = fleet()
      const run = await simulate(strategy, { seed: 2, files: 100, processes: 20, model: { kinds: allOf(kind) } })
      expect(run).toMatchObject({ finished: true, refusals: 0, lostFiles: 0 })
      expect(run.ratio).toBeLessThanOrEqual(1.1)
      // Each runner asks about once for each upload of the fleet.
      expect(calls() / 100).toBeLessThan(30)
    },
  )

  const flushed = async (redis: SimulatedRedis, { clock }: ProcessContext) => {
    await clock.sleep(100_000)
    redis.flush()
  }
  const setBack = async (redis: SimulatedRedis, { clock }: ProcessContext) => {
    await clock.sleep(60_000)
    const dump = redis.dump()
    await clock.sleep(45_000)
    redis.restore(dump)
  }
  const losses = [
    ['at most twenty refusals', 'Redis loses everything', flushed, { seed: 3, mostRefusals: 20 }],
    ['no refusal', 'an older dump takes over from Redis', setBack, { seed: 4, mostRefusals: 0 }],
  ] as const
  test.for(sample(losses, 1))('finish with %s where %s', async ([, , happens, { seed, mostRefusals }]) => {
    const run = await simulate(fleet(happens).strategy, { seed, files: 60, processes: 20 })
    expect(run).toMatchObject({ finished: true, lostFiles: 0 })
    expect(run.refusals).toBeLessThanOrEqual(mostRefusals)
  })
})
