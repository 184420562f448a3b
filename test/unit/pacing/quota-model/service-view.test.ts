import { expect, test } from 'vitest'
import { createCharges } from '../../../../src/pacing/quota-model/charges.ts'
import { WindowInference } from '../../../../src/pacing/quota-model/inference/window-inference.ts'
import { createServiceView } from '../../../../src/pacing/quota-model/service-view.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'

const start = Date.parse('2026-11-20T12:00:00Z')

function viewed() {
  const charges = createCharges()
  const inference = new WindowInference(charges, (name) => defaultLimits[name])
  const service = createServiceView(defaultLimits, charges, inference)
  /** An upload of which the answer shows what remains of the minute. */
  const see = (second: number, remaining: number) => {
    const sentAt = start + second * 1_000
    const report = { limit: 60, remaining, cost: 10 }
    service.learn({ sentAt, answeredAt: sentAt + 100, nominal: 10, units: 10, report }, 0)
  }
  const seeDate = (second: number, aheadMs: number) => {
    const sentAt = start + second * 1_000
    inference.seeDate({ serverNow: sentAt + aheadMs, sentAt, answeredAt: sentAt + 100 })
  }
  /** Whether a window that may be of any kind has room later than this one. */
  const isKindKnown = (second: number) => {
    const at = start + second * 1_000
    charges.add(at, 10)
    return inference.roomAt('minute', 0, at, false) < inference.roomAt('minute', 0, at, true)
  }
  return { charges, inference, service, see, seeDate, isKindKnown }
}

test.each([
  ['an answer that shows less use than before rules out kinds of window', false],
  ['answers from before the clock was set back prove nothing about the kind of window', true],
])('%s', (_, isSetBack) => {
  const { inference, see, isKindKnown } = viewed()
  see(300, 50)
  see(311, 40)
  if (isSetBack) inference.clampTo(start)
  see(322, 50)
  expect(isKindKnown(323)).toBe(!isSetBack)
})

test.each([
  ['in one minute of the clock and little of it in the next rules out kinds of window', 0],
  ['before a Date that contradicts the one of then proves nothing about the kind of window', 3_600_000],
])('use that was shown %s', (_, aheadMs) => {
  const { see, seeDate, isKindKnown } = viewed()
  seeDate(299, 0)
  see(300, 50)
  see(311, 40)
  seeDate(364, aheadMs)
  see(365, 50)
  expect(isKindKnown(366)).toBe(aheadMs === 0)
})

test('a charge dated to the instant at which a request was sent is subtracted from Remaining', () => {
  const { charges, service, see } = viewed()
  charges.add(start, 10)
  see(0, 50)
  expect([40, 50].filter((units) => service.reported.has(units, start + 100))).toEqual([40])
})

test('Remaining is not relied on while others use the key', () => {
  const { service, see } = viewed()
  see(0, 20)
  expect(service.reported.has(10, start + 100)).toBe(false)
})
