import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../src/protocol/rate-limits.ts'
import { sample } from '../sampling/sample.ts'
import { retryAfterForms } from './simulation/header-forms.ts'
import type { ServiceModel } from './simulation/model.ts'
import { ours, oursWith } from './simulation/ours.ts'
import { combined, mixed, seedsFrom } from './simulation/scenarios.ts'
import type { Scenario } from './simulation/simulate.ts'
import { flawless, summarize } from './simulation/summary.ts'

const hundredWith = (model: Partial<ServiceModel>) => combined({ files: 100, seeds: seedsFrom(5, 2), model })

/** Runs a quarter of the scenarios, or in `npm run test:all` the others. */
const summarizeSome = (scenarios: readonly Scenario[], strategy = ours) =>
  summarize(strategy, sample(scenarios, Math.ceil(scenarios.length / 4)))

/** Runs some of them and expects no refusal, no lost file, and no makespan above this multiple of the optimum. */
async function expectFlawless(scenarios: readonly Scenario[], maxRatio: number, strategy = ours): Promise<void> {
  const summary = await summarizeSome(scenarios, strategy)
  expect(summary).toMatchObject(flawless)
  expect(summary.maxRatio).toBeLessThanOrEqual(maxRatio)
}

describe('alone with a key', () => {
  test.each<[string, Partial<ServiceModel>, maxRatio?: number]>([
    ['no soft delay', { softDelay: false }],
    ['a Reset in epoch milliseconds', { reset: 'epoch-ms' }],
    ['a Reset in seconds to go', { reset: 'delta' }],
    ['no Reset and no Cost', { headers: ['limit', 'remaining'] }],
    ['a Remaining and nothing else', { headers: ['remaining'] }],
    ['a Limit of 30, lower than the assumed one', { limits: { ...defaultLimits, minute: 30 } }],
    ['no rate header', { headers: [] }, 1.3],
    ['a report of the tightest window', { toldWindow: 'tightest' }, 1.3],
    ['an upload that takes up to 90 s', { uploadMs: [5_000, 90_000] }, Number.POSITIVE_INFINITY],
  ])('%s causes no refusal, and no more delay than it must', (_, model, maxRatio = 1.1) =>
    expectFlawless(hundredWith(model), maxRatio),
  )

  test.each([-300_000, -5_000, 5_000, 300_000])(
    'a clock that is wrong by %i ms causes no refusal and no delay',
    (clockErrorMs) => expectFlawless(combined({ files: 100, seeds: seedsFrom(6, 1), clockErrorMs }), 1.1),
  )

  test.each([-5e-5, 5e-5])('a clock that drifts by %f causes no refusal and no delay', (clockDrift) =>
    expectFlawless(combined({ files: 1_000, seeds: seedsFrom(6, 1), clockDrift }), 1.1),
  )

  test('a sliding log of whole seconds that counts both ends causes no refusal and no delay', () =>
    expectFlawless(combined({ kinds: ['sliding_second'], files: 100, seeds: seedsFrom(7, 12) }), 1.1))

  test.each([1, 2, 8])('%i jobs are never refused and done within a tenth of the optimum', (jobs) =>
    expectFlawless(combined({ files: 100, seeds: seedsFrom(8, 1) }), 1.1, oursWith({ jobs })),
  )

  test('windows of different kinds in one service refuse at most two uploads', async () => {
    const summary = await summarizeSome(mixed({ files: 100, seeds: seedsFrom(9, 12) }))
    expect(summary.maxRefusals).toBeLessThanOrEqual(2)
    expect(summary.lostFiles).toBe(0)
  })
})

describe('with a lower hourly limit than assumed', () => {
  const hiddenHour = { ...defaultLimits, hour: 500 }

  test('half an hourly limit is learned after at most 15 refusals', async () => {
    const scenarios = combined({ files: 400, seeds: seedsFrom(11, 2), model: { limits: hiddenHour } })
    const summary = await summarizeSome(scenarios)
    expect(summary.maxRefusals).toBeLessThanOrEqual(15)
    expect(summary.lostFiles).toBe(0)
  })

  test.each(retryAfterForms)('a Retry-After as "%s" loses no file, and 20 are refused at most', async (retryAfter) => {
    const summary = await summarizeSome(hundredWith({ limits: hiddenHour, retryAfter }))
    expect(summary.maxRefusals).toBeLessThanOrEqual(20)
    expect(summary).toMatchObject({ lostFiles: 0, unfinished: 0 })
  })
})
