import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCharges, logFitsAt, loggedUnits } from '../../../../src/pacing/quota-model/charges.ts'

const charge = fc.record({ at: fc.nat(50), units: fc.integer({ min: 1, max: 10 }) })

test('charges in any order count like a plain sum', () => {
  fc.assert(
    fc.property(fc.array(charge), fc.nat(60), fc.nat(100), (made, instant, most) => {
      const charges = createCharges()
      for (const { at, units } of made) charges.add(at, units)
      const after = (since: number) => made.filter(({ at }) => at > since).reduce((sum, { units }) => sum + units, 0)
      expect(charges.after(instant)).toBe(after(instant))
      const last = charges.lastBeyond(most)
      expect(charges.after(last ?? -1)).toBeLessThanOrEqual(most)
      if (last !== undefined) expect(after(last - 1)).toBeGreaterThan(most)
    }),
  )
})

test('forgotten charges no longer count, and the others still do', () => {
  const charges = createCharges()
  for (let at = 0; at < 2_000; at += 1) charges.add(at, 2)
  charges.forget(999)
  expect(charges.after(-1)).toBe(2_000)
  expect(charges.after(1_499)).toBe(1_000)
  expect(charges.lastBeyond(1_000)).toBe(1_499)
})

test('a charge is counted a second longer than its window, for a service that counts in whole seconds', () => {
  const charges = createCharges()
  charges.add(0, 10)
  expect([11_000, 11_100].map((at) => loggedUnits(charges, 10_000, at))).toEqual([10, 0])
  expect(logFitsAt(charges, 10_000, 0)).toBeGreaterThan(11_000)
})
