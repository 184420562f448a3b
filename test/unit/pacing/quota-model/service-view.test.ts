import { expect, test } from 'vitest'
import { createCharges } from '../../../../src/pacing/quota-model/charges.ts'
import { createServiceView } from '../../../../src/pacing/quota-model/service-view.ts'
import { windowKinds } from '../../../../src/pacing/quota-model/window-kinds.ts'
import { defaultLimits } from '../../../../src/protocol/rate-limits.ts'

const start = Date.parse('2026-11-20T12:00:00Z')

test('what was seen before the clock was set back proves nothing of the kind of window', () => {
  const service = createServiceView(defaultLimits, createCharges())
  const see = (second: number, remaining: number) => {
    const sentAt = start + second * 1_000
    const report = { limit: 60, remaining, cost: 10 }
    service.learn({ sentAt, answeredAt: sentAt + 100, nominal: 10, units: 10, report }, 0)
  }
  see(300, 50)
  see(311, 40)
  service.clampTo(start)
  see(322, 50)
  expect(windowKinds.filter(service.mayBe)).toEqual(windowKinds)
})

test('what was charged at the instant at which a request was sent is not counted on', () => {
  const charges = createCharges()
  const service = createServiceView(defaultLimits, charges)
  charges.add(start, 10)
  const report = { limit: 60, remaining: 50, cost: 10 }
  service.learn({ sentAt: start, answeredAt: start + 1, nominal: 10, units: 10, report }, 0)
  expect([40, 50].filter((units) => service.rest.has(units, start + 1))).toEqual([40])
})
