import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decideCharge,
  type QuotaRules,
  stateWithout,
  usedUnits,
  windowOf,
} from '../../../../../emulator/service/quota/quota.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import type { QuotaState } from '../../../../../emulator/storage/record-types.ts'
import { type QuotaLimits, windowKinds, windowNames } from '../../../../../src/protocol/rate-limits.ts'
import { sampledRuns } from '../../../../sampling/sample.ts'
import { anyPause, createOracle, type Spending } from './quota-oracle.ts'

const admissions = ['reject_over', 'overshoot', 'charge_first'] as const

const combinations = windowKinds.flatMap((quota_windows) =>
  admissions.flatMap((quota_admission) =>
    [false, true].map(
      (charge_rejected): QuotaRules => createSettings({ quota_windows, quota_admission, charge_rejected }).current,
    ),
  ),
)

const sequences = 2_000
const sampledSequences = 150

const anyLimit = fc.option(fc.integer({ min: 0, max: 40 }), { freq: 4 })
const anyLimits = fc.record({ burst: anyLimit, minute: anyLimit, hour: anyLimit, day: anyLimit })
const anyStart = fc.integer({ min: 0, max: 86_400_000 }).map((ms) => Date.UTC(2026, 0, 15) + ms)
const anySpendings = fc
  .tuple(anyStart, fc.array(fc.record({ cost: fc.constantFrom(1, 3, 10), pause: anyPause }), { maxLength: 30 }))
  .map(([start, steps]) => {
    let at = start
    return steps.map(({ cost, pause }): Spending => {
      at += pause
      return { cost, at }
    })
  })

/** A state after writing and reading it as JSON. */
const stored = (state: QuotaState): QuotaState => JSON.parse(JSON.stringify(state))

describe.each(combinations)('$quota_windows, $quota_admission, charge_rejected $charge_rejected', (rules) => {
  test('silence 87, 97: verdicts and instants match an oracle that remembers every charge', () => {
    fc.assert(
      fc.property(anyLimits, anySpendings, (limits, spendings) => {
        const oracle = createOracle(limits, rules)
        let state: QuotaState = {}
        for (const spending of spendings) {
          const { cost, at } = spending
          const verdict = decideCharge({ state, limits, cost, now: at, rules })
          state = stored(verdict.state)
          const { window, retryAt } = verdict.refusal ?? {}
          expect(window).toBe(oracle.claim(spending))
          if (window === undefined || retryAt === undefined || !everFits(limits, rules, spending)) continue
          // A refused request is admitted from that instant on, and not a millisecond earlier.
          expect(oracle.admits(window, { cost, at: retryAt })).toBe(true)
          expect(oracle.admits(window, { cost, at: retryAt - 1 })).toBe(false)
          expect(decideCharge({ state, limits, cost, now: retryAt, rules }).refusal?.window).not.toBe(window)
        }
      }),
      sampledRuns(sequences, sampledSequences),
    )
  })
})

function everFits(limits: QuotaLimits, { quota_admission }: QuotaRules, { cost }: Spending): boolean {
  return windowNames.every((name) => (limits[name] ?? 1_000) >= (quota_admission === 'overshoot' ? 1 : cost))
}

test('windows may change their kind at any time: used units stay used', () => {
  const anyKind = fc.constantFrom(...windowKinds)
  const limits = { burst: 20, minute: 30, hour: 40, day: 50 }
  fc.assert(
    fc.property(anySpendings, fc.array(anyKind, { minLength: 30, maxLength: 30 }), (spendings, changes) => {
      let state: QuotaState = {}
      let rules: QuotaRules = createSettings().current
      for (const [index, { cost, at }] of spendings.entries()) {
        const before = windowNames.map((name) => usedUnits(windowOf(name, { state, limits, now: at, rules })))
        rules = { ...rules, quota_windows: changes[index] ?? 'fixed' }
        expect(windowNames.map((name) => usedUnits(windowOf(name, { state, limits, now: at, rules })))).toEqual(before)
        const verdict = decideCharge({ state, limits, cost, now: at, rules })
        if (verdict.refusal !== undefined) {
          const { window, retryAt } = verdict.refusal
          const later = decideCharge({ state: verdict.state, limits, cost, now: retryAt, rules }).refusal?.window
          expect(later).not.toBe(window)
        }
        state = stored(verdict.state)
      }
    }),
    sampledRuns(sequences, sampledSequences),
  )
})

test.each(windowKinds)('refunding a charge to %s windows at once leaves nothing used', (quota_windows) => {
  const rules: QuotaRules = { ...createSettings().current, quota_windows }
  const limits = { burst: 200, minute: 200, hour: 200, day: 200 }
  fc.assert(
    fc.property(anySpendings, (spendings) => {
      let state: QuotaState = {}
      for (const { cost, at } of spendings) {
        const books = { limits, rules, now: at }
        const used = (of: QuotaState) => windowNames.map((name) => usedUnits(windowOf(name, { ...books, state: of })))
        const charged = decideCharge({ ...books, state, cost })
        if (charged.refusal !== undefined) continue
        const back = stateWithout({ ...books, state: charged.state }, { units: cost, at })
        expect(used(back)).toEqual(used(state))
        state = charged.state
      }
    }),
    sampledRuns(500, 40),
  )
})
