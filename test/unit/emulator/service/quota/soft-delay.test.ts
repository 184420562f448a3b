import { expect, test } from 'vitest'
import { softDelayMs } from '../../../../../emulator/service/quota/quota.ts'

const minute = (limit: number, remaining: number) => ({ limit, remaining, resetsAt: 0 })

test.each([
  ['off', minute(60, 0), 0],
  ['fixed', minute(60, 13), 0],
  ['fixed', minute(60, 12), 2_000],
  ['linear', minute(60, 12), 0],
  ['linear', minute(60, 6), 1_000],
  ['linear', minute(60, 0), 2_000],
  ['fixed', minute(0, 0), 0],
  ['linear', minute(0, 0), 0],
  ['fixed', undefined, 0],
] as const)('soft_delay %s delays an answer with the minute %j by %d ms', (delay, standing, ms) => {
  expect(softDelayMs(delay, standing)).toBe(ms)
})
