import { expect, test } from 'vitest'
import { decideCharge, fitsAt, softDelayMs } from '../../../../../emulator/service/quota/quota.ts'
import { type QuotaRules, windowOf } from '../../../../../emulator/service/quota/quota-window.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import type { QuotaState } from '../../../../../emulator/storage/records.ts'
import {
  defaultLimits,
  type QuotaLimits,
  unlimited,
  type WindowName,
  windowLengthMs,
} from '../../../../../src/protocol/rate-limits.ts'

const start = Date.UTC(2026, 0, 15, 12)
const rules: QuotaRules = createSettings().current
const overshooting: QuotaRules = createSettings({ quota_admission: 'overshoot' }).current
const chargingFirst: QuotaRules = createSettings({ quota_admission: 'charge_first' }).current
interface Spending {
  readonly cost: number
  readonly at: number
}

/** Charges requests one after the other and returns the verdicts. */
function spend(claims: readonly Spending[], limits: QuotaLimits = defaultLimits, by = rules) {
  let state: QuotaState = {}
  return claims.map(({ cost, at }) => {
    const verdict = decideCharge({ state, limits, cost, now: start + at, rules: by })
    state = verdict.state
    return verdict
  })
}

test('spec 8: the last unit of a window is admitted, the next is refused', () => {
  const verdicts = spend([10, 9, 1, 1].map((cost) => ({ cost, at: 0 })))
  expect(verdicts.map(({ refusal }) => refusal?.window)).toEqual([undefined, undefined, undefined, 'burst'])
})

test('a cost that does not fit completely is refused and not charged', () => {
  const verdicts = spend([15, 10, 5].map((cost) => ({ cost, at: 0 })))
  expect(verdicts.map(({ refusal }) => refusal?.window)).toEqual([undefined, 'burst', undefined])
  expect(verdicts[1]?.state).toBe(verdicts[0]?.state)
})

test('with overshoot a window admits any cost until it is full', () => {
  const verdicts = spend(
    [19, 10, 1].map((cost) => ({ cost, at: 0 })),
    defaultLimits,
    overshooting,
  )
  expect(verdicts.map(({ refusal }) => refusal?.window)).toEqual([undefined, undefined, 'burst'])
  const exact = spend(
    [20, 1].map((cost) => ({ cost, at: 0 })),
    defaultLimits,
    overshooting,
  )
  expect(exact[1]?.refusal?.window).toBe('burst')
})

test('with charge_first a refused request is charged', () => {
  const verdicts = spend(
    [15, 10, 5].map((cost) => ({ cost, at: 0 })),
    defaultLimits,
    chargingFirst,
  )
  expect(verdicts.map(({ refusal, charged }) => [refusal?.window, charged])).toEqual([
    [undefined, 15],
    ['burst', 10],
    ['burst', 5],
  ])
})

test('a refusal is not delayed, however full the minute is', () => {
  const [, refused] = spend(
    [60, 1].map((cost) => ({ cost, at: 0 })),
    { ...unlimited, minute: 60 },
  )
  expect(refused).toMatchObject({ refusal: { window: 'minute' }, delayMs: 0 })
})

test('a window begins with its first charge and ends exactly one length later', () => {
  const verdicts = spend([
    { cost: 1, at: 5_000 },
    { cost: 19, at: 14_999 },
    { cost: 1, at: 14_999.5 },
    { cost: 20, at: 15_000 },
  ])
  expect(verdicts.map(({ refusal }) => refusal)).toEqual([
    undefined,
    undefined,
    { kind: 'quota-exceeded', window: 'burst', retryAt: start + 15_000 },
    undefined,
  ])
})

test.each<[WindowName, QuotaLimits]>([
  ['burst', { burst: 1, minute: 1, hour: 1, day: 1 }],
  ['minute', { burst: 2, minute: 1, hour: 1, day: 1 }],
  ['hour', { burst: null, minute: 2, hour: 1, day: 1 }],
  ['day', { ...unlimited, day: 1 }],
])('the first full window in the order burst, minute, hour, day refuses: %s', (window, limits) => {
  const [, second] = spend(
    [
      { cost: 1, at: 0 },
      { cost: 1, at: 1 },
    ],
    limits,
  )
  expect(second?.refusal).toEqual({ kind: 'quota-exceeded', window, retryAt: start + windowLengthMs[window] })
})

test('the minute is reported after the charge, with the instant it ends', () => {
  const [first, second] = spend([
    { cost: 10, at: 0 },
    { cost: 1, at: 4_000 },
  ])
  expect(first?.reportedWindow).toEqual({ limit: 60, remaining: 50, resetsAt: start + 60_000 })
  expect(second?.reportedWindow).toEqual({ limit: 60, remaining: 49, resetsAt: start + 60_000 })
})

test('an unlimited minute is not reported and causes no delay', () => {
  const [verdict] = spend([{ cost: 10_000, at: 0 }], unlimited)
  expect([verdict?.reportedWindow, verdict?.refusal, verdict?.delayMs]).toEqual([undefined, undefined, 0])
})

test.each([
  [47, 0],
  [48, 0],
  [51, 500],
  [54, 1_000],
  [60, 2_000],
])('spec 8.3: at %d of 60 units in the minute the answer is delayed by %d ms', (cost, delayMs) => {
  expect(spend([{ cost, at: 0 }], { ...unlimited, minute: 60 })[0]?.delayMs).toBe(delayMs)
})

test('a cost fits now, at the end of the window, or never', () => {
  const [verdict] = spend([{ cost: 15, at: 0 }])
  const books = { state: verdict?.state ?? {}, limits: { ...defaultLimits, hour: 8 }, now: start + 1_000, rules }
  expect(fitsAt(windowOf('burst', books), 5, rules)).toBe(start + 1_000)
  expect(fitsAt(windowOf('burst', books), 10, rules)).toBe(start + 10_000)
  expect(fitsAt(windowOf('hour', books), 10, rules)).toBeNull()
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
] as const)('soft_delay %s delays an answer with the minute %j by %d ms', (delay, standing, ms) => {
  expect(softDelayMs(delay, standing)).toBe(ms)
})
