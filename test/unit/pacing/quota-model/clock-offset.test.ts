import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  agedOffset,
  bothOffsets,
  type ClockOffset,
  toldOffset,
} from '../../../../src/pacing/quota-model/clock-offset.ts'

const at = Date.parse('2026-01-15T12:00:00Z')

test('for any delays and phases of the clocks, the offset of the service’s clock lies within the bounds', () => {
  const ms = fc.integer({ min: 0, max: 5_000 })
  const exchanges = fc.array(fc.record({ wait: ms, there: ms, back: ms }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), exchanges, (offset, all) => {
      let now = at
      let known: ClockOffset | undefined
      for (const { wait, there, back } of all) {
        const sentAt = now + wait
        now = sentAt + there + back
        const serverNow = Math.floor((sentAt + there + offset) / 1_000) * 1_000
        const told = toldOffset({ serverNow, sentAt, answeredAt: now })
        known = known ? bothOffsets(known, told) : told
      }
      expect(known?.least).toBeLessThanOrEqual(offset)
      expect(known?.most).toBeGreaterThanOrEqual(offset)
    }),
  )
})

test('the offset of the service’s clock is contradicted by an answer after a clock was set', () => {
  const before = { least: -500, most: 500, at }
  const answer = { sentAt: at, answeredAt: at }
  const later = toldOffset({ ...answer, serverNow: at + 60_000 })
  expect([later, bothOffsets(before, later)]).toEqual([{ least: 59_900, most: 61_100, at }, undefined])
  expect(bothOffsets(before, toldOffset({ ...answer, serverNow: at }))).toEqual({ least: -100, most: 500, at })
})

test('the offset of the service’s clock has wider bounds the older it is', () => {
  const later = at + 3_600_000
  expect(agedOffset({ least: 0, most: 1_000, at }, later)).toEqual({ least: -360, most: 1_360, at: later })
})
