import { expect, test } from 'vitest'
import { windowRules, windowUse } from '../../../../../emulator/service/quota/windows/window-kinds.ts'
import { readAt } from '../../../../../emulator/values/codec.ts'
import { windowKinds } from '../../../../../src/protocol/rate-limits.ts'

const moment = { now: Date.UTC(2026, 0, 15, 12), lengthMs: 10_000, limit: 20 }

test.each(windowKinds)('the charges of %s windows survive being written as JSON and read', (name) => {
  const use = windowRules[name].charged(undefined, 3, moment)
  expect(windowUse.read(JSON.parse(JSON.stringify(windowUse.write(use))))).toEqual(use)
})

test.each([
  null,
  {},
  { kind: 'leaky' },
  { kind: 'fixed', started_at: 'now', units: 1 },
  { kind: 'sliding', charges: 1 },
])('%j is refused as charges of a window', (found) => {
  expect(() => readAt(windowUse, found, 'quotas[0]')).toThrow(/quotas\[0\]/)
})
