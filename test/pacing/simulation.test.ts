import { expect, test } from 'vitest'
import { defaultLimits, windowKinds, windowNames } from '../../src/protocol/rate-limits.ts'
import { createEventClock, skewed } from './simulation/event-clock.ts'
import { httpDate } from './simulation/header-forms.ts'
import { allOf, usualModel } from './simulation/model.ts'
import { optimumMs } from './simulation/optimum.ts'
import { createRandom } from './simulation/random.ts'
import { createService } from './simulation/service.ts'
import { createServiceQuota } from './simulation/service-quota.ts'

const noon = Date.UTC(2026, 0, 15, 12)

test('an aborted sleep rejects with its reason, and its due time is not waited for', async () => {
  const clock = createEventClock(noon)
  const sleeps = clock.sleep(1_000, AbortSignal.abort(new Error('at once')))
  await expect(sleeps).rejects.toThrow('at once')
  const gone = new AbortController()
  const later = clock.sleep(1_000, gone.signal)
  gone.abort(new Error('enough'))
  await expect(later).rejects.toThrow('enough')
  await expect(clock.run(new Promise(() => {}))).rejects.toThrow('not for the clock')
})

test('a wrong clock shows the time with its error, which grows with its drift', async () => {
  const clock = createEventClock(noon)
  const wrong = skewed(clock, -500, 0.25)
  await clock.run(clock.sleep(1_000))
  expect(wrong.now()).toBe(noon + 1_250 - 500)
})

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

test('the simulated service sends exactly the configured headers', async () => {
  const [answer] = await served({ headers: ['remaining', 'cost'] }, [10])
  const date = httpDate(noon + 1_000)
  expect(answer?.headers).toEqual({ date, 'x-ratelimit-remaining': '50', 'x-ratelimit-cost': '10' })
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
