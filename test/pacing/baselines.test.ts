import { expect, test } from 'vitest'
import { parallelCurl, sequentialCurl, withoutRetry } from '../../bench/pacing/baselines/curl.ts'
import { pauseEverything } from '../../bench/pacing/baselines/pauses.ts'
import { countedAtSend, reservoir } from '../../bench/pacing/baselines/send-gates.ts'
import { combined, mixed, seedsFrom } from './simulation/scenarios.ts'
import { summarize } from './simulation/summary.ts'

const hundred = combined({ files: 100, seeds: seedsFrom(1, 2) })
const charged = combined({ files: 100, seeds: seedsFrom(1, 1), refusalCharges: ['full'] })

test('common ways to upload without a retry lose files', async () => {
  expect((await summarize(withoutRetry, hundred)).lostFiles / hundred.length).toBeGreaterThan(70)
})

test.each([
  [sequentialCurl, 86],
  [parallelCurl, 347],
  [reservoir, 227],
  [pauseEverything, 288],
] as const)('common ways to upload with $name send bodies for nothing', async (strategy, refusals) => {
  const { meanRefusals, lostFiles, maxRatio } = await summarize(strategy, hundred)
  expect(lostFiles).toBe(0)
  expect(maxRatio).toBeLessThan(1.12)
  expect(meanRefusals / refusals).toBeGreaterThan(0.93)
  expect(meanRefusals / refusals).toBeLessThan(1.07)
})

test('common ways to upload with charges counted at send are still refused, and then miss a whole hour', async () => {
  const { meanRefusals, meanRatio } = await summarize(countedAtSend, hundred)
  expect(meanRefusals).toBeGreaterThan(15)
  expect(meanRatio).toBeGreaterThan(3)
})

test('common ways to upload take three times the optimum one by one, and never finish in parallel, where refusals are charged', async () => {
  expect((await summarize(sequentialCurl, charged)).meanRatio).toBeGreaterThan(3)
  expect((await summarize(parallelCurl, charged)).unfinished).toBe(charged.length)
})

test('a scenario with the same seed gives the same summary every time', async () => {
  const scenarios = mixed({ files: 30, seeds: [7], stranger: 'bursty', processes: 2 })
  expect(await summarize(parallelCurl, scenarios)).toEqual(await summarize(parallelCurl, scenarios))
})
