import { expect, test } from 'vitest'
import { createBucketDebt } from '../../../../../src/pacing/quota-model/inference/token-bucket-bound.ts'

const minuteMs = 60_000

test('a bucket has room once enough has come back, and a good second later', () => {
  const debt = createBucketDebt(() => 60, minuteMs)
  debt.charge(0, 60)
  expect(debt.fitsAt(60)).toBe(Number.NEGATIVE_INFINITY)
  expect(debt.fitsAt(50)).toBeGreaterThanOrEqual(11_050)
  expect(debt.fitsAt(50)).toBeLessThan(11_100)
})

test('what came back between two charges is not missing', () => {
  const debt = createBucketDebt(() => 60, minuteMs)
  debt.charge(0, 30)
  debt.charge(30_000, 10)
  expect(debt.fitsAt(11)).toBe(Number.NEGATIVE_INFINITY)
})

test('a charge told late counts from the latest one known', () => {
  const [inOrder, late] = [createBucketDebt(() => 60, minuteMs), createBucketDebt(() => 60, minuteMs)]
  inOrder.charge(0, 20)
  inOrder.charge(10_000, 20)
  late.charge(10_000, 20)
  late.charge(0, 20)
  expect(late.fitsAt(0)).toBeGreaterThanOrEqual(inOrder.fitsAt(0))
})

test('a lower limit comes back more slowly', () => {
  let limit = 60
  const debt = createBucketDebt(() => limit, minuteMs)
  limit = 30
  debt.charge(0, 30)
  expect(debt.fitsAt(20)).toBeGreaterThanOrEqual(20_000)
})
