import { describe, expect, test } from 'vitest'
import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { sample } from '../sampling/sample.ts'
import { type Look, watchedRun } from './simulation/watched-run.ts'

const MB = 1_048_576

/** Judges what was shown from the second upload on. */
function judge(looks: readonly Look[]) {
  const counted = looks.filter(({ finished }) => finished >= 2)
  const known = counted.flatMap(({ shown, truth }) => (shown === undefined ? [] : [{ over: shown - truth, truth }]))
  const steps = counted.map(({ shown = 0, refusals }, index) => {
    const before = counted[index - 1]
    return before?.shown && before.refusals === refusals ? shown / before.shown - 1 : 0
  })
  return {
    // By how much it was too short at most, where that is more than five seconds, as a share of the truth.
    short: Math.max(0, ...known.filter(({ over }) => over < -5_000).map(({ over, truth }) => -over / truth)),
    // By how much it was wrong on average.
    mean: known.reduce((sum, { over, truth }) => sum + Math.abs(over / truth), 0) / known.length,
    // The largest step up, as a share of what was shown before; below it, the share of moments at which a time was shown.
    up: Math.max(...steps),
    told: known.length / counted.length,
  }
}

const many = (count: number, size: number) => Array.from({ length: count }, () => size)
const mixed = Array.from({ length: 40 }, (_, index) => ([0.3, 2, 8, 1, 25, 4][index % 6] ?? 0) * MB)
const allSizes = { sizes: mixed, bytesPerSecond: MB }
const photos = { sizes: many(60, MB), bytesPerSecond: 2 * MB }
const films = { sizes: many(12, 30 * MB), bytesPerSecond: MB }

const services = windowKinds.map((kind, index) => ({ kind, seed: 100 + index }))
describe.each(sample(services, 1))(
  'with $kind windows',
  takesLong(60, 'a thousand forecasts simulate an upload each'),
  (service) => {
    test.each([
      ['under quota', photos],
      ['of large files', films],
      ['under quota, after the process was stopped', { ...photos, suspend: { after: 200_000, ms: 900_000 } }],
      ['that is short', { sizes: many(14, 200_000), bytesPerSecond: 2 * MB }],
      ['of files of all sizes', allSizes],
      ['of large files, after the process was stopped', { ...films, suspend: { after: 100_000, ms: 3_600_000 } }],
    ])(
      'the time left of a batch %s is never 15 % or 5 s too short, right within a fifth on average, and never rises',
      async (_, shape) => {
        const verdict = judge(await watchedRun({ ...service, ...shape }))
        expect(verdict.short).toBeLessThanOrEqual(0.15)
        expect(verdict.mean).toBeLessThanOrEqual(0.2)
        expect(verdict.up).toBeLessThanOrEqual(0.1)
        expect(verdict.told).toBeGreaterThan(0.98)
      },
    )
  },
)
