import { describe, expect, test } from 'vitest'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { refusalCharges } from './simulation/model.ts'
import { ours } from './simulation/ours.ts'
import { combined, seedsFrom } from './simulation/scenarios.ts'
import { flawless, type Summary, summarize } from './simulation/summary.ts'

/** One summary for each kind, over all ways of charging refusals. */
async function byKind(files: number, seeds: readonly number[]): Promise<readonly Summary[]> {
  const summaries: Summary[] = []
  for (const kind of windowKinds) {
    summaries.push(await summarize(ours, combined({ kinds: [kind], refusalCharges, files, seeds })))
  }
  return summaries
}

function meanOf(summaries: readonly Summary[], value: (summary: Summary) => number): number {
  return summaries.reduce((sum, summary) => sum + value(summary), 0) / summaries.length
}

describe(
  'alone with a key, with every kind of window and every charge of a refusal',
  takesLong(120, 'thousands of uploads are simulated'),
  () => {
    test('ten files are never refused and done within a minute of the optimum', async () => {
      const summaries = await byKind(10, seedsFrom(1, 12))
      for (const summary of summaries) {
        expect(summary).toMatchObject(flawless)
        expect(summary.maxAboveMs).toBeLessThanOrEqual(60_000)
      }
      expect(meanOf(summaries, ({ meanAboveMs }) => meanAboveMs)).toBeLessThanOrEqual(25_000)
    })

    test.each([
      { files: 100, seeds: seedsFrom(2, 20) },
      { files: 110, seeds: seedsFrom(2, 5) },
      { files: 130, seeds: seedsFrom(2, 2) },
      { files: 200, seeds: seedsFrom(2, 4) },
      { files: 400, seeds: seedsFrom(2, 2) },
      { files: 1_000, seeds: seedsFrom(2, 1) },
    ])('$files files are never refused and done within a tenth of the optimum', async ({ files, seeds }) => {
      const summaries = await byKind(files, seeds)
      for (const summary of summaries) {
        expect(summary).toMatchObject(flawless)
        expect(summary.maxRatio).toBeLessThanOrEqual(1.1)
      }
      expect(meanOf(summaries, ({ meanRatio }) => meanRatio)).toBeLessThanOrEqual(1.04)
    })

    test.each(
      windowKinds.map((kind, index) => [kind, refusalCharges[index % refusalCharges.length] ?? 'none'] as const),
    )(
      'five thousand files through %s windows are never refused and done within a sixth',
      async (kind, refusalCharge) => {
        const service = { kinds: [kind], refusalCharges: [refusalCharge] }
        const summary = await summarize(ours, combined({ ...service, files: 5_000, seeds: seedsFrom(3, 1) }))
        expect(summary).toMatchObject(flawless)
        expect(summary.maxRatio).toBeLessThanOrEqual(1.16)
      },
    )
  },
)

describe('with a ledger that several processes use', takesLong(120, 'thousands of uploads are simulated'), () => {
  test.each([
    ['a hundred files of four processes', { processes: 4, files: 100 }],
    ['four hundred files of four processes', { processes: 4, files: 400 }],
    ['a thousand files of four processes', { processes: 4, files: 1_000 }],
    ['a hundred files, ten a process', { filesPerProcess: 10, files: 100 }],
    ['four hundred files, ten a process', { filesPerProcess: 10, files: 400 }],
    ['a thousand files, ten a process', { filesPerProcess: 10, files: 1_000 }],
  ])('%s are never refused and done within a tenth of the optimum', async (_, shape) => {
    const summary = await summarize(ours, combined({ ...shape, seeds: seedsFrom(4, 1), refusalCharges: ['full'] }))
    expect(summary).toMatchObject(flawless)
    expect(summary.maxRatio).toBeLessThanOrEqual(1.1)
  })

  test('forty files of four processes are never refused, and done within a minute of the optimum, half a minute on average', async () => {
    const summary = await summarize(ours, combined({ processes: 4, files: 40, seeds: seedsFrom(4, 8) }))
    expect(summary).toMatchObject(flawless)
    expect(summary.meanAboveMs).toBeLessThanOrEqual(30_000)
    expect(summary.maxAboveMs).toBeLessThanOrEqual(60_000)
  })

  test('processes with a ledger each are refused, but lose no file', async () => {
    const summary = await summarize(ours, combined({ processes: 4, shared: false, files: 100, seeds: seedsFrom(4, 1) }))
    expect(summary.totalRefusals).toBeGreaterThan(0)
    expect(summary.lostFiles).toBe(0)
  })
})
