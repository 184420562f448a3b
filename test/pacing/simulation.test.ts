import { expect, test } from 'vitest'
import { defaultLimits, windowKinds, windowNames } from '../../src/protocol/rate-limits.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { optimumMs } from './simulation/optimum.ts'
import { ours } from './simulation/ours.ts'
import { createRandom } from './simulation/random.ts'
import { mixed } from './simulation/scenarios.ts'
import { createService } from './simulation/service.ts'
import { createServiceQuota } from './simulation/service-quota.ts'
import { summarize } from './simulation/summary.ts'

const noon = Date.UTC(2026, 0, 15, 12)

async function served(model: Partial<typeof usualModel>, costs: readonly number[]) {
  const clock = createEventClock(noon)
  const service = createService({ ...usualModel, softDelay: false, ...model }, { clock, random: createRandom(1) })
  const answers = costs.map((cost) => service.request(cost))
  await clock.run(Promise.all(answers))
  return Promise.all(answers)
}

test('the simulated service charges a refusal to no window, to the windows before the refusing one, or to all', async () => {
  const limits = { ...defaultLimits, minute: 10 }
  const refused = async (refusalCharge: typeof usualModel.refusalCharge) => {
    const answers = await served({ limits, refusalCharge }, [10, 10, 10])
    return answers.flatMap(({ status, message, charged }) => (status === 429 ? [`${message} ${charged}`] : [])).sort()
  }
  const [burst, minute] = ['Burst limit exceeded. Slow down.', 'Rate limit exceeded (per minute).']
  expect(await refused('none')).toEqual([`${minute} 0`, `${minute} 0`])
  expect(await refused('partial')).toEqual([`${burst} 0`, `${minute} 10`])
  expect(await refused('full')).toEqual([`${burst} 10`, `${minute} 10`])
})

test.each([...windowKinds, 'sliding_second'] as const)(
  'the optimum of %s windows is refused by no window, and a millisecond earlier one refuses',
  (kind) => {
    const model = { kinds: allOf(kind), limits: defaultLimits }
    const quota = createServiceQuota(model)
    for (let file = 1; file <= 30; file += 1) {
      const at = noon + 17_000 + optimumMs(model, file, noon + 17_000)
      if (file > 2 && file % 2 === 1) expect(quota.refusing(10, at - 1)).toBeDefined()
      expect(quota.refusing(10, at)).toBeUndefined()
      quota.charge(windowNames, 10, at)
    }
  },
)

test('a scenario with the same seed gives the same summary every time', async () => {
  const scenarios = mixed({ files: 30, seeds: [7], stranger: 'bursty', processes: 2 })
  expect(await summarize(ours, scenarios)).toEqual(await summarize(ours, scenarios))
})
