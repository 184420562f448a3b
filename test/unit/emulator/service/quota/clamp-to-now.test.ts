import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuotaKeeper } from '../../../../../emulator/service/quota/quota.ts'
import { createSettings } from '../../../../../emulator/settings/settings.ts'
import { openMemoryStorage } from '../../../../../emulator/storage/open.ts'
import { type WindowKind, windowKinds, windowLengthMs, windowNames } from '../../../../../src/protocol/rate-limits.ts'
import { emulated, send } from '../../emulated.ts'
import { account as newAccount } from '../../storage/records.ts'
import { anyPause, type Pause } from './quota-oracle.ts'

const start = Date.UTC(2026, 0, 15, 12)
const quotas = { burst: 20, minute: 30, hour: 40, day: 50 }

/** A keeper after these charges, and the instant of the last one. */
function keeperOf(quota_windows: WindowKind, history: readonly Pause[] = []) {
  const records = openMemoryStorage().records
  const account = records.accounts.insert(newAccount())
  const keeper = createQuotaKeeper({ records, settings: createSettings({ quota_windows, quotas }) })
  let last = start
  for (const { cost, pause } of history) {
    last += pause
    keeper.charge(account, cost, last)
  }
  const used = (now: number) => windowNames.map((name) => keeper.report(account, now)[name].used)
  return { keeper, account, used, last }
}

const anyHistory = fc.array(fc.record({ cost: fc.constantFrom(1, 3, 10), pause: anyPause }), {
  minLength: 1,
  maxLength: 20,
})

describe.each(windowKinds)('%s windows', (kind) => {
  test('setting the clock back by any step frees no used units', () => {
    fc.assert(
      fc.property(anyHistory, fc.array(anyPause, { minLength: 1, maxLength: 3 }), (history, steps) => {
        const { used, last } = keeperOf(kind, history)
        let now = last
        for (const step of steps) {
          const before = used(now)
          now -= step
          for (const [index, units] of used(now).entries()) expect(units).toBeGreaterThanOrEqual(before[index] ?? 0)
        }
      }),
    )
  })

  test('after the clock was set back, old charges expire within two window lengths', () => {
    fc.assert(
      fc.property(anyHistory, anyPause, (history, step) => {
        const { used, last } = keeperOf(kind, history)
        const now = last - step
        used(now)
        for (const [index, name] of windowNames.entries()) expect(used(now + 2 * windowLengthMs[name])[index]).toBe(0)
      }),
    )
  })

  test('a client refused after the clock was set back is admitted at the instant it was told', () => {
    const { keeper, account } = keeperOf(kind)
    for (const _ of [1, 2]) keeper.charge(account, 10, start + 3_600_000)
    const { refusal } = keeper.charge(account, 10, start)
    expect(refusal?.window).toBe('burst')
    expect(refusal?.retryAt).toBeLessThanOrEqual(start + 20_000)
    expect(keeper.charge(account, 10, refusal?.retryAt ?? 0).refusal?.window).not.toBe('burst')
  })

  test('a charge can be refunded after the clock was set back', () => {
    const { keeper, account, used } = keeperOf(kind)
    const { at } = keeper.charge(account, 10, start + 3_600_000)
    keeper.refund(account, { units: 10, at }, start)
    expect(used(start)).toEqual([0, 0, 0, 0])
  })
})

test('an account’s windows stay full when the control API sets the clock back', async () => {
  const emulator = await emulated({ quotas: { ...quotas, burst: 1 } })
  await send(emulator, 'GET', '/api/stats')
  await emulator.control.clock.set('2026-01-15T08:00:00Z')
  const refused = await send(emulator, 'GET', '/api/stats')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
})
