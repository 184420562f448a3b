import { expect, test } from 'vitest'
import { createCharges } from '../../../../src/pacing/quota-model/charges.ts'
import {
  createWindowInference,
  type WindowInference,
} from '../../../../src/pacing/quota-model/inference/window-inference.ts'
import { createServiceView } from '../../../../src/pacing/quota-model/service-view.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'

const start = Date.parse('2026-11-20T12:00:00Z')

function viewed() {
  const charges = createCharges()
  const inference = createWindowInference(charges, (name) => defaultLimits[name])
  return { charges, inference, service: createServiceView(defaultLimits, charges, inference) }
}

/** Answers with a Date, the second an hour ahead of the first. */
function seeDates(inference: WindowInference): void {
  for (const aheadMs of [0, 3_600_000]) {
    const sentAt = start + 311_200
    inference.seeDate({ serverNow: sentAt + aheadMs, sentAt, answeredAt: sentAt + 100 })
  }
}

test.each<[string, ((inference: WindowInference) => void) | undefined]>([
  ['an answer that shows less use than before rules out kinds of window', undefined],
  ['answers from before the clock was set back prove nothing about the kind of window', (met) => met.clampTo(start)],
  ['answers from before a Date that contradicts theirs prove nothing about the kind of window', seeDates],
])('%s', (_, set) => {
  const { charges, inference, service } = viewed()
  const see = (second: number, remaining: number) => {
    const sentAt = start + second * 1_000
    const report = { limit: 60, remaining, cost: 10 }
    service.learn({ sentAt, answeredAt: sentAt + 100, nominal: 10, units: 10, report }, 0)
  }
  see(300, 50)
  see(311, 40)
  set?.(inference)
  see(322, 50)
  charges.add(start + 323_000, 10)
  const waitMs = (isSuspect: boolean) => inference.roomAt('minute', 0, start + 323_000, isSuspect)
  expect(waitMs(false) < waitMs(true)).toBe(set === undefined)
})

test('a charge dated to the instant at which a request was sent is subtracted from Remaining', () => {
  const { charges, service } = viewed()
  charges.add(start, 10)
  const report = { limit: 60, remaining: 50, cost: 10 }
  service.learn({ sentAt: start, answeredAt: start + 1, nominal: 10, units: 10, report }, 0)
  expect([40, 50].filter((units) => service.reported.has(units, start + 1))).toEqual([40])
})

test('Remaining is not relied on while others use the key', () => {
  const { service } = viewed()
  const report = { limit: 60, remaining: 20, cost: 10 }
  service.learn({ sentAt: start, answeredAt: start + 1, nominal: 10, units: 10, report }, 0)
  expect(service.reported.has(10, start + 1)).toBe(false)
})

test('a charge may count for two lengths of a window while the service has not told the time', () => {
  const { charges, inference } = viewed()
  charges.add(start, 10)
  expect(inference.roomAt('minute', 0, start + 1_000, false)).toBeGreaterThan(start + 120_000)
})
