import { describe, expect, test } from 'vitest'
import { defaultLimits, windowKinds } from '../../src/protocol/rate-limits.ts'
import { allOf, type ModelKind } from './simulation/model.ts'
import { optimumMs } from './simulation/optimum.ts'
import { createServiceQuota } from './simulation/service-quota.ts'

const noon = Date.UTC(2026, 0, 15, 12)

describe('the optimum', () => {
  // Phases of the clock within a minute only.
  const optima = (kind: ModelKind, files: number) =>
    Array.from({ length: 60 }, (_, second) =>
      optimumMs({ kinds: allOf(kind), limits: defaultLimits }, files, noon + second * 1_000),
    )
  const range = (kind: ModelKind, files: number) => [Math.min(...optima(kind, files)), Math.max(...optima(kind, files))]

  test.each([
    ['fixed', 70_000, 970_000, 33_370_000],
    ['sliding', 70_000, 970_000, 33_370_000],
    ['token_bucket', 40_000, 940_000, 32_400_000],
  ] as const)('of %s windows does not depend on the phase', (kind, ten, hundred, thousand) => {
    expect(range(kind, 10)).toEqual([ten, ten])
    expect(range(kind, 100)).toEqual([hundred, hundred])
    expect(optimumMs({ kinds: allOf(kind), limits: defaultLimits }, 1_000, noon)).toBe(thousand)
  })

  test('of aligned windows is lower when the first minute is nearly over', () => {
    expect(range('aligned', 10)).toEqual([31_000, 70_000])
    expect(range('aligned', 100)).toEqual([931_000, 970_000])
  })

  test('of sliding counters lies within the range of their phases', () => {
    const [least = 0, most = 0] = range('sliding_counter', 100)
    expect(least).toBeGreaterThan(1_155_000)
    expect(most).toBeLessThanOrEqual(1_176_000)
  })

  test('of a sliding log of whole seconds is a second longer per window', () => {
    expect(optimumMs({ kinds: allOf('sliding_second'), limits: defaultLimits }, 10, noon)).toBe(72_000)
  })

  test('is refused by no window, while a millisecond earlier one refuses', () => {
    for (const kind of windowKinds) {
      const model = { kinds: allOf(kind), limits: defaultLimits }
      const quota = createServiceQuota(model)
      for (let file = 1; file <= 30; file += 1) {
        const at = noon + 17_000 + optimumMs(model, file, noon + 17_000)
        if (file > 2 && file % 2 === 1) expect(quota.refusing(10, at - 1)).toBeDefined()
        expect(quota.refusing(10, at)).toBeUndefined()
        quota.charge(['burst', 'minute', 'hour', 'day'], 10, at)
      }
    }
  })
})
