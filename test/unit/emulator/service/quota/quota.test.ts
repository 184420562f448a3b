import { expect, test } from 'vitest'
import { decideCharge, softDelayMs } from '../../../../../emulator/service/quota/quota.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import type { QuotaState } from '../../../../../emulator/storage/record-types.ts'
import { defaultLimits, type QuotaLimits, unlimited } from '../../../../../src/protocol/rate-limits.ts'

const start = Date.UTC(2026, 0, 15, 12)
const rules = createSettings().current

interface Spending {
  readonly cost: number
  readonly at: number
}

/** Charges requests one after the other and returns the verdicts. */
function spend(claims: readonly Spending[], limits: QuotaLimits = defaultLimits) {
  let state: QuotaState = {}
  return claims.map(({ cost, at }) => {
    const verdict = decideCharge({ state, limits, cost, now: start + at, rules })
    state = verdict.state
    return verdict
  })
}

const atOnce = (...costs: readonly number[]) => costs.map((cost) => ({ cost, at: 0 }))

test('a refusal charges nothing and is not delayed, however full the minute is', () => {
  const [first, refused] = spend(atOnce(60, 1), { ...unlimited, minute: 60 })
  expect(refused).toMatchObject({ refusal: { window: 'minute' }, delayMs: 0 })
  expect(refused?.state).toBe(first?.state)
})

test('silence 100: an unlimited minute is not reported and causes no delay', () => {
  const [verdict] = spend(atOnce(10_000), unlimited)
  expect([verdict?.reportedWindow, verdict?.refusal, verdict?.delayMs]).toEqual([undefined, undefined, 0])
})

const minute = (limit: number, remaining: number) => ({ limit, remaining, resetsAt: 0 })

test.each([
  ['off', minute(60, 0), 0],
  ['fixed', minute(60, 13), 0],
  ['fixed', minute(60, 12), 2_000],
  ['linear', minute(60, 12), 0],
  ['linear', minute(60, 6), 1_000],
  ['linear', minute(60, 0), 2_000],
  ['fixed', minute(0, 0), 0],
  ['linear', minute(0, 0), 0],
  ['fixed', undefined, 0],
] as const)('spec 8.3: soft_delay %s delays an answer with the minute %j by %d ms', (delay, standing, ms) => {
  expect(softDelayMs(delay, standing)).toBe(ms)
})
