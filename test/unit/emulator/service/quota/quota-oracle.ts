import fc from 'fast-check'
import type { QuotaRules } from '../../../../../emulator/service/quota/quota.ts'
import {
  type QuotaLimits,
  type WindowName,
  windowLengthMs,
  windowNames,
} from '../../../../../src/protocol/rate-limits.ts'

export interface Spending {
  readonly cost: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Pause {
  readonly cost: number
  /** Milliseconds since the charge before. */
  readonly pause: number
}

/** Short and long pauses, and those at which windows end. */
export const anyPause = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 9_999, 10_000, 60_000, 3_600_000, 86_400_000) },
)

/** The rules in their simplest form: every charge is kept, and every question looks at all of them. */
export function createOracle(limits: QuotaLimits, rules: QuotaRules) {
  const charges: Spending[] = []

  /** Used units times the window's milliseconds, a whole number for every kind of window. */
  const used = (name: WindowName, limit: number, now: number): number => {
    const length = windowLengthMs[name]
    const total = (counts: (at: number) => boolean) =>
      charges.reduce((sum, { cost, at }) => sum + (counts(at) ? cost * length : 0), 0)
    const period = (at: number) => Math.floor(at / length)

    switch (rules.quota_windows) {
      case 'fixed': {
        let start = Number.NEGATIVE_INFINITY
        for (const { at } of charges) if (at >= start + length) start = at
        return now < start + length ? total((at) => at >= start) : 0
      }
      case 'aligned':
        return total((at) => period(at) === period(now))
      case 'sliding':
        return total((at) => now - at < length)
      case 'sliding_counter': {
        const before = total((at) => period(at) === period(now) - 1)
        return total((at) => period(at) === period(now)) + (before * (length - (now % length))) / length
      }
      case 'token_bucket': {
        const full = limit * length
        let tokens = full
        let last = 0
        for (const { cost, at } of charges) {
          tokens = Math.min(full, tokens + (at - last) * limit) - cost * length
          last = at
        }
        return full - Math.min(full, tokens + (now - last) * limit)
      }
    }
  }

  const admits = (name: WindowName, { cost, at }: Spending): boolean => {
    const limit = limits[name]
    if (limit === null) return true
    const length = windowLengthMs[name]
    const most = rules.quota_admission === 'overshoot' ? limit - 1 : limit - cost
    return used(name, limit, at) <= most * length
  }

  return {
    admits,
    /** @returns the window that refuses, or undefined */
    claim(spending: Spending): WindowName | undefined {
      const refusing = windowNames.find((name) => !admits(name, spending))
      const isCharged = refusing === undefined || rules.charge_rejected || rules.quota_admission === 'charge_first'
      if (isCharged) charges.push(spending)
      return refusing
    },
  }
}
