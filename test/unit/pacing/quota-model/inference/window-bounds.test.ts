import { expect, test } from 'vitest'
import { createTokenBucketBound } from '../../../../../src/pacing/quota-model/inference/window-bounds.ts'

const minuteMs = 60_000

test('a token bucket has room a second after enough units have come back', () => {
  const missing = createTokenBucketBound(() => 60, minuteMs)
  missing.charge(0, 60)
  expect(missing.fitsAt(60)).toBe(Number.NEGATIVE_INFINITY)
  expect(missing.fitsAt(50)).toBeGreaterThanOrEqual(11_050)
  expect(missing.fitsAt(50)).toBeLessThan(11_100)
})

test('units that came back between two charges are not missing', () => {
  const missing = createTokenBucketBound(() => 60, minuteMs)
  missing.charge(0, 30)
  missing.charge(30_000, 10)
  expect(missing.fitsAt(11)).toBe(Number.NEGATIVE_INFINITY)
})

test('a charge reported late counts from the latest known charge', () => {
  const [inOrder, late] = [createTokenBucketBound(() => 60, minuteMs), createTokenBucketBound(() => 60, minuteMs)]
  inOrder.charge(0, 20)
  inOrder.charge(10_000, 20)
  late.charge(10_000, 20)
  late.charge(0, 20)
  expect(late.fitsAt(0)).toBeGreaterThanOrEqual(inOrder.fitsAt(0))
})

test('units come back more slowly with a lower limit', () => {
  let limit = 60
  const missing = createTokenBucketBound(() => limit, minuteMs)
  limit = 30
  missing.charge(0, 30)
  expect(missing.fitsAt(20)).toBeGreaterThanOrEqual(20_000)
})
