import { expect, test } from 'vitest'
import { windowKind } from '../../../../emulator/service/quota/windows/window-kinds.ts'
import { windowUse } from '../../../../emulator/state/record-codecs.ts'

const moment = { now: Date.UTC(2026, 0, 15, 12), lengthMs: 10_000, limit: 20 }

test.each(['fixed', 'aligned', 'sliding', 'sliding_counter', 'token_bucket'] as const)(
  'the charges of %s windows survive being written as JSON and read',
  (name) => {
    const use = windowKind(name).charged(undefined, 3, moment)
    expect(windowUse.read(JSON.parse(JSON.stringify(windowUse.write(use))), 'use')).toEqual(use)
  },
)

test.each([
  null,
  {},
  { kind: 'leaky' },
  { kind: 'fixed', started_at: 'now', units: 1 },
  { kind: 'sliding', charges: 1 },
])('%j is refused as charges of a window', (found) => {
  expect(() => windowUse.read(found, 'quotas[0]')).toThrow(/quotas\[0\]/)
})
