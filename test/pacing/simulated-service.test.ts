import { expect, test } from 'vitest'
import { defaultLimits } from '../../src/protocol/rate-limits.ts'
import { createEventClock } from './simulation/event-clock.ts'
import { httpDate, resetForms, resetHeader, retryAfterForms, retryAfterHeader } from './simulation/header-forms.ts'
import { usualModel } from './simulation/model.ts'
import { createRandom } from './simulation/random.ts'
import { createService } from './simulation/service.ts'

const noon = Date.UTC(2026, 0, 15, 12)

const served = async (model: Partial<typeof usualModel>, costs: readonly number[]) => {
  const clock = createEventClock(noon)
  const service = createService({ ...usualModel, softDelay: false, ...model }, { clock, random: createRandom(1) })
  const answers = costs.map((cost) => service.request(cost))
  await clock.run(Promise.all(answers))
  return Promise.all(answers)
}

test('the simulated service charges a refusal to no window, to the windows before the refusing one, or to all', async () => {
  const limits = { ...defaultLimits, minute: 10 }
  const charged = async (refusalCharge: typeof usualModel.refusalCharge) => {
    const answers = await served({ limits, refusalCharge }, [10, 10, 10])
    return answers.map(({ status, message, charged: units }) => `${status} ${message} ${units}`).sort()
  }
  const minute = '429 Rate limit exceeded (per minute).'
  expect(await charged('none')).toEqual(['201  10', `${minute} 0`, `${minute} 0`])
  expect(await charged('partial')).toEqual(['201  10', '429 Burst limit exceeded. Slow down. 0', `${minute} 10`])
  expect(await charged('full')).toEqual(['201  10', '429 Burst limit exceeded. Slow down. 10', `${minute} 10`])
})

test('the simulated service sends exactly the configured headers', async () => {
  const [answer] = await served({ headers: ['remaining', 'cost'] }, [10])
  expect(answer?.headers).toEqual({
    date: httpDate(noon + 1_000),
    'x-ratelimit-remaining': '50',
    'x-ratelimit-cost': '10',
  })
})

test('the simulated service writes the same wait in every form of Retry-After', () => {
  const forms = retryAfterForms.map((form) => retryAfterHeader(form, noon, noon + 3_450))
  expect(forms).toEqual([
    '4',
    '0',
    '-5',
    '',
    '3.5',
    'Thu, 15 Jan 2026 12:00:04 GMT',
    'Thu, 15 Jan 2026 11:59:30 GMT',
    '3600',
    '999999999',
    '1768478404',
    undefined,
  ])
})

test('the simulated service writes the same instant in every form of X-RateLimit-Reset', () => {
  const forms = resetForms.map((form) => resetHeader(form, noon, noon + 3_450))
  expect(forms).toEqual(['1768478404', '1768478403450', '4'])
})
