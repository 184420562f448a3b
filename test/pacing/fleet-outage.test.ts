import { describe, expect, test } from 'vitest'
import { createPacer } from '../../src/pacing/create-pacer.ts'
import { createFleetHome } from '../../src/pacing/fleet/fleet-home.ts'
import { createLogLedger } from '../../src/pacing/quota-log/log-ledger.ts'
import { createQuotaModel } from '../../src/pacing/quota-model/quota-model.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { allOf } from './simulation/model.ts'
import { paced } from './simulation/ours.ts'
import { simulate } from './simulation/simulate.ts'
import { createSimulatedRedis, type SimulatedRedis } from './simulation/simulated-redis.ts'
import type { ProcessContext, SharedState } from './simulation/strategy.ts'

const RUNNERS = 20

/** Runners of as many machines that share one simulated Redis, and go on alone while it is down. */
function fleet(happens: (redis: SimulatedRedis, context: ProcessContext) => Promise<void>) {
  const servers = new WeakMap<SharedState, SimulatedRedis>()
  const told = { gone: 0, back: 0 }

  function serverOf(context: ProcessContext): SimulatedRedis {
    const known = servers.get(context.state)
    if (known !== undefined) return known
    const redis = createSimulatedRedis(context.clock)
    servers.set(context.state, redis)
    void happens(redis, context)
    return redis
  }

  const strategy = paced(
    'fleet',
    (context) => {
      const { clock, random } = context
      const link = serverOf(context).connect([0, 25], random)
      const { home } = createFleetHome({
        link,
        clock,
        random,
        createModel: () => createQuotaModel(),
        assumedRunners: RUNNERS,
        onOutage: () => {
          told.gone += 1
        },
        onReturn: () => {
          told.back += 1
        },
      })
      return createPacer({ clock, ledger: createLogLedger({ clock, home }) })
    },
    2,
  )
  return { strategy, told }
}

/** Redis is down from one instant to another, in seconds. */
function down(from: number, until: number, { loses }: { readonly loses: boolean }) {
  return async (redis: SimulatedRedis, { clock }: ProcessContext) => {
    await clock.sleep(from * 1_000)
    redis.isDown = true
    await clock.sleep((until - from) * 1_000)
    if (loses) redis.flush()
    redis.isDown = false
  }
}

describe('twenty runners', takesLong(120, 'thousands of calls are simulated'), () => {
  test.for(['sliding', 'token_bucket'] as const)(
    'are not refused by %s windows while Redis restarts empty, and take a tenth longer than the optimum at most',
    async (kind) => {
      const { strategy, told } = fleet(down(100, 120, { loses: true }))
      const run = await simulate(strategy, { seed: 3, files: 80, processes: RUNNERS, model: { kinds: allOf(kind) } })
      expect(run).toMatchObject({ finished: true, refusals: 0, lostFiles: 0 })
      expect(run.ratio).toBeLessThanOrEqual(1.1)
      expect(told.gone).toBeGreaterThan(0)
      expect(told.back).toBe(told.gone)
    },
  )

  test('go on for the three minutes that Redis is down, and are refused at most once each', async () => {
    const { strategy, told } = fleet(down(100, 280, { loses: false }))
    const run = await simulate(strategy, { seed: 3, files: 80, processes: RUNNERS })
    expect(run).toMatchObject({ finished: true, lostFiles: 0 })
    expect(run.refusals).toBeLessThanOrEqual(RUNNERS)
    expect(told.back).toBe(told.gone)
  })

  test('that find no Redis at their start finish, and are refused at most as often as they assume room for', async () => {
    const { strategy } = fleet(down(0, 120, { loses: false }))
    const run = await simulate(strategy, { seed: 3, files: 60, processes: RUNNERS })
    expect(run).toMatchObject({ finished: true, lostFiles: 0 })
    // The burst has room for two uploads of each.
    expect(run.refusals).toBeLessThanOrEqual(2 * RUNNERS)
  })
})
