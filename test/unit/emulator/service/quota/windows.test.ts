import { describe, expect, test } from 'vitest'
import { windowRules } from '../../../../../emulator/service/quota/quota.ts'
import { type SlidingUse, slidingWindow } from '../../../../../emulator/service/quota/sliding-windows.ts'
import { windowKinds, windowLengthMs } from '../../../../../src/protocol/rate-limits.ts'

const start = Date.UTC(2026, 0, 15, 12)
const at = (ms: number, limit: number | null = 20) => ({ now: start + ms, lengthMs: 10_000, limit })

test('a sliding window of ten thousand charges stays small, counts no unit too short and names no instant too early', () => {
  const lengthMs = windowLengthMs.day
  const pause = 7_000
  let use: SlidingUse | undefined
  for (let count = 0; count < 12_000; count += 1) {
    use = slidingWindow.charged(use, 1, { now: start + count * pause, lengthMs, limit: 10_000 })
    if (use.charges.length > 2_048) throw new Error(`${use.charges.length} charges are kept`)
  }
  const moment = { now: start + 11_999 * pause, lengthMs, limit: 10_000 }
  const used = slidingWindow.used(use, moment)
  const slotMs = lengthMs / 1_024
  expect(used).toBeGreaterThanOrEqual(Math.min(12_000, lengthMs / pause))
  expect(used).toBeLessThanOrEqual((lengthMs + slotMs) / pause + 1)
  const freeAt = slidingWindow.availableAt(use, 9_999, moment)
  expect(slidingWindow.used(use, { ...moment, now: freeAt })).toBeLessThanOrEqual(9_999)
  expect(slidingWindow.used(use, { ...moment, now: freeAt - 1 })).toBeGreaterThan(9_999)
})

describe.each(windowKinds)('%s', (name) => {
  const kind = windowRules[name]

  test('refunding an expired charge changes nothing', () => {
    const first = kind.charged(undefined, 5, at(1_000))
    const later = kind.charged(first, 2, at(25_000))
    const left = kind.refunded(later, { units: 5, at: start + 1_000 }, at(25_000))
    expect(kind.used(left, at(25_000))).toBe(2)
  })

  test('windows work on a clock with fractions', () => {
    const use = kind.charged(undefined, 20, at(0.25))
    const freeAt = kind.availableAt(use, 17, at(0.5))
    expect(kind.used(use, { ...at(0), now: freeAt })).toBeLessThanOrEqual(17)
  })
})

test('a part of a unit that is missing from a bucket counts as a whole one', () => {
  const bucket = windowRules.token_bucket
  expect(bucket.used(bucket.charged(undefined, 5, at(0)), at(1))).toBe(5)
})

test('a sliding counter counts the period before by its share of the window, a part of a unit as a whole one', () => {
  const counter = windowRules.sliding_counter
  expect(counter.used(counter.charged(undefined, 5, at(0)), at(15_000))).toBe(3)
})

test('an unlimited bucket has no debt, and one of size zero never refills', () => {
  const bucket = windowRules.token_bucket
  const use = bucket.charged(undefined, 5, at(0, null))
  expect(bucket.used(use, at(0, 20))).toBe(0)
  const stuck = bucket.charged(undefined, 5, at(0, 0))
  expect(bucket.availableAt(stuck, 0, at(0, 0))).toBe(start + 10_000)
})
