import { expect, test } from 'vitest'
import { createCharges } from '../../../../src/pacing/quota-model/charges.ts'
import { createWindowInference } from '../../../../src/pacing/quota-model/inference/window-inference.ts'
import { createServiceView } from '../../../../src/pacing/quota-model/service-view.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'

const start = Date.parse('2026-11-20T12:00:00Z')

function viewed() {
  const charges = createCharges()
  const inference = createWindowInference(charges, (name) => defaultLimits[name])
  return { charges, inference, service: createServiceView(defaultLimits, charges, inference) }
}

test.each([
  ['an answer that shows less use than before rules out kinds of window', false],
  ['answers from before the clock was set back prove nothing about the kind of window', true],
])('%s', (_, isSetBack) => {
  const { charges, inference, service } = viewed()
  const see = (second: number, remaining: number) => {
    const sentAt = start + second * 1_000
    const report = { limit: 60, remaining, cost: 10 }
    service.learn({ sentAt, answeredAt: sentAt + 100, nominal: 10, units: 10, report }, 0)
  }
  see(300, 50)
  see(311, 40)
  if (isSetBack) inference.clampTo(start)
  see(322, 50)
  charges.add(start + 323_000, 10)
  const waitMs = (isSuspect: boolean) => inference.roomAt('minute', 0, start + 323_000, isSuspect)
  expect(waitMs(false) < waitMs(true)).toBe(!isSetBack)
})

test('a charge dated to the instant at which a request was sent is subtracted from Remaining', () => {
  const { charges, service } = viewed()
  charges.add(start, 10)
  const report = { limit: 60, remaining: 50, cost: 10 }
  service.learn({ sentAt: start, answeredAt: start + 1, nominal: 10, units: 10, report }, 0)
  expect([40, 50].filter((units) => service.reported.has(units, start + 1))).toEqual([40])
})
