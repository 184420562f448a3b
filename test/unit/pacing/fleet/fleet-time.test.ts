import { expect, test } from 'vitest'
import { openFleetLog } from '../../../../src/log/redis/fleet-log.ts'
import { quotaForm } from '../../../../src/pacing/fleet/fleet-history.ts'
import { createEventClock } from '../../../pacing/simulation/event-clock.ts'
import { createSimulatedRedis } from '../../../pacing/simulation/simulated-redis.ts'

test('a process that stood still while Redis answered is not behind the time of the fleet', async () => {
  const clock = createEventClock(Date.UTC(2026, 0, 15))
  const redis = createSimulatedRedis(clock).connect([0, 0], Math.random)
  let standsMs = 0
  const link: typeof redis = {
    ...redis,
    async run(script, args) {
      const answer = await redis.run(script, args)
      await clock.sleep(standsMs)
      return answer
    },
  }
  const log = openFleetLog({ form: quotaForm, link, clock, deliver() {}, rebuild() {} })
  await clock.run(log.read())
  standsMs = 40_000
  await clock.run(log.read())
  expect(Math.abs(log.aheadMs())).toBeLessThan(3_000)
})
