import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideCharge, refund } from '../../../../../emulator/service/quota/quota.ts'
import { type QuotaRules, usedUnits, windowOf } from '../../../../../emulator/service/quota/quota-window.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import type { QuotaState } from '../../../../../emulator/storage/records.ts'
import {
  type QuotaLimits,
  type WindowKind,
  windowKinds,
  windowLengthMs,
  windowNames,
} from '../../../../../src/protocol/rate-limits.ts'
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
  test('verdicts and instants match an oracle that remembers every charge', () => {
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
        }
      }),
      sampledRuns(sequences, sampledSequences),
    )
  })

  // If refusals are charged, the refused request itself may have filled a shorter window.
  const isCharged = rules.charge_rejected || rules.quota_admission === 'charge_first'
  const others = isCharged ? 'another' : 'a longer'

  test(`a request at the instant a refusal names is admitted, or refused by ${others} window`, () => {
    fc.assert(
      fc.property(anyLimits, anySpendings, (limits, spendings) => {
        let state: QuotaState = {}
        for (const { cost, at } of spendings) {
          const verdict = decideCharge({ state, limits, cost, now: at, rules })
          state = verdict.state
          if (verdict.refusal === undefined || !everFits(limits, rules, { cost, at })) continue
          const { window, retryAt } = verdict.refusal
          const later = decideCharge({ state, limits, cost, now: retryAt, rules }).refusal?.window
          expect(later).not.toBe(window)
          if (later === undefined || isCharged) continue
          expect(windowNames.indexOf(later)).toBeGreaterThan(windowNames.indexOf(window))
        }
      }),
      sampledRuns(500, 40),
    )
  })
})

function everFits(limits: QuotaLimits, { quota_admission }: QuotaRules, { cost }: Spending): boolean {
  return windowNames.every((name) => (limits[name] ?? 1_000) >= (quota_admission === 'overshoot' ? 1 : cost))
}

/** The most units that a window of this kind admitted in any period, minus the limit. */
const excess: Readonly<Record<WindowKind, (admitted: readonly Spending[], limit: number, length: number) => number>> = {
  fixed(admitted, limit, length) {
    let [start, sum, most] = [Number.NEGATIVE_INFINITY, 0, 0]
    for (const { cost, at } of admitted) {
      if (at >= start + length) [start, sum] = [at, 0]
      sum += cost
      most = Math.max(most, sum)
    }
    return most - limit
  },
  aligned: mostOfPeriod,
  sliding: (admitted, limit, length) =>
    mostOf(admitted, (one, other) => other.at >= one.at && other.at < one.at + length) - limit,
  sliding_counter: mostOfPeriod,
  token_bucket: (admitted, limit, length) =>
    Math.max(
      ...admitted.flatMap((one, index) => {
        let sum = 0
        return admitted.slice(index).map((other) => {
          sum += other.cost
          return sum - limit - ((other.at - one.at) * limit) / length
        })
      }),
      0,
    ),
}

function mostOfPeriod(admitted: readonly Spending[], limit: number, length: number): number {
  return mostOf(admitted, (one, other) => Math.floor(one.at / length) === Math.floor(other.at / length)) - limit
}

function mostOf(admitted: readonly Spending[], together: (one: Spending, other: Spending) => boolean): number {
  const sums = admitted.map((one) => admitted.reduce((sum, other) => sum + (together(one, other) ? other.cost : 0), 0))
  return Math.max(...sums, 0)
}

test.each(windowKinds)('with reject_over, %s windows never admit more than their limit', (quota_windows) => {
  const rules: QuotaRules = { ...createSettings().current, quota_windows }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), anySpendings, (limit, spendings) => {
      const limits = { burst: limit, minute: null, hour: null, day: null }
      let state: QuotaState = {}
      const admitted = spendings.filter(({ cost, at }) => {
        const verdict = decideCharge({ state, limits, cost, now: at, rules })
        state = verdict.state
        return verdict.refusal === undefined
      })
      expect(excess[quota_windows](admitted, limit, windowLengthMs.burst)).toBeLessThanOrEqual(0)
    }),
    sampledRuns(sequences, sampledSequences),
  )
})

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
        const back = refund({ ...books, state: charged.state }, { units: cost, at })
        expect(used(back)).toEqual(used(state))
        state = charged.state
      }
    }),
    sampledRuns(500, 40),
  )
})
