import { describe, expect, test } from 'vitest'
import { takesLong } from '../helpers/takes-long.ts'
import { sample } from '../sampling/sample.ts'
import { refusalCharges } from './simulation/model.ts'
import { ours } from './simulation/ours.ts'
import { combined, seedsFrom } from './simulation/scenarios.ts'
import { flawless, summarize } from './simulation/summary.ts'

describe(
  'alone with a key, with every kind of window and every charge of a refusal',
  takesLong(120, 'thousands of uploads are simulated'),
  () => {
    test('ten files are never refused and done within a minute of the optimum', async () => {
      const all = combined({ refusalCharges, files: 10, seeds: seedsFrom(1, 12) })
      const summary = await summarize(ours, sample(all, 40))
      expect(summary).toMatchObject(flawless)
      expect(summary.maxAboveMs).toBeLessThanOrEqual(60_000)
      expect(summary.meanAboveMs).toBeLessThanOrEqual(25_000)
    })

    test.each([
      // By chance, the mean of fewer is above the bound.
      { files: 100, seeds: 20, drawn: 60 },
      { files: 110, seeds: 5, drawn: 8 },
      { files: 130, seeds: 2, drawn: 4 },
      { files: 200, seeds: 4, drawn: 6 },
      { files: 400, seeds: 2, drawn: 3 },
      { files: 1_000, seeds: 1, drawn: 2 },
    ])('$files files are never refused and done within a tenth of the optimum', async ({ files, seeds, drawn }) => {
      const all = combined({ refusalCharges, files, seeds: seedsFrom(2, seeds) })
      const summary = await summarize(ours, sample(all, drawn))
      expect(summary).toMatchObject(flawless)
      expect(summary.maxRatio).toBeLessThanOrEqual(1.1)
      expect(summary.meanRatio).toBeLessThanOrEqual(1.04)
    })

    test('five thousand files are never refused and done within a sixth', async () => {
      const all = combined({ refusalCharges: ['full', 'none'], files: 5_000, seeds: seedsFrom(3, 1) })
      const summary = await summarize(ours, sample(all, 1))
      expect(summary).toMatchObject(flawless)
      expect(summary.maxRatio).toBeLessThanOrEqual(1.16)
    })
  },
)

describe('with a ledger that several processes use', takesLong(120, 'thousands of uploads are simulated'), () => {
  test('files of four processes, and of processes with ten each, are never refused and done within a tenth of the optimum', async () => {
    const all = [{ processes: 4 }, { filesPerProcess: 10 }].flatMap((shape) =>
      [100, 400, 1_000].flatMap((files) =>
        combined({ ...shape, files, seeds: seedsFrom(4, 1), refusalCharges: ['full'] }),
      ),
    )
    const summary = await summarize(ours, sample(all, 4))
    expect(summary).toMatchObject(flawless)
    expect(summary.maxRatio).toBeLessThanOrEqual(1.1)
  })

  test('forty files of four processes are never refused, and done within a minute of the optimum, half a minute on average', async () => {
    const summary = await summarize(ours, sample(combined({ processes: 4, files: 40, seeds: seedsFrom(4, 8) }), 16))
    expect(summary).toMatchObject(flawless)
    expect(summary.meanAboveMs).toBeLessThanOrEqual(30_000)
    expect(summary.maxAboveMs).toBeLessThanOrEqual(60_000)
  })

  test('processes with a ledger each are refused, but lose no file', async () => {
    const apart = combined({ processes: 4, shared: false, files: 100, seeds: seedsFrom(4, 1) })
    const summary = await summarize(ours, sample(apart, 2))
    expect(summary.totalRefusals).toBeGreaterThan(0)
    expect(summary.lostFiles).toBe(0)
  })
})
