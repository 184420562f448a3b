import { expect, test } from 'vitest'
import { createResetProof } from '../../../../../src/pacing/quota-model/inference/window-inference.ts'

const start = Date.parse('2026-11-20T12:00:00Z')
const offset = { least: 0, most: 0, at: start }

test('Reset is believed once it stood still while units were charged, and units from before it no longer count after it', () => {
  const proof = createResetProof(60_000)
  const see = (second: number, used: number, resetSecond: number) => {
    const sentAt = start + second * 1_000
    const minute = { sentAt, answeredAt: sentAt + 100, units: 10, used, resetAt: start + resetSecond * 1_000 }
    proof.see(minute, offset, () => 0)
    return proof.end(offset) !== undefined
  }
  expect([see(0, 10, 60), see(10, 20, 60), see(62, 10, 122)]).toEqual([false, false, true])
})
