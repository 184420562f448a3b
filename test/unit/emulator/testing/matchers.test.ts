import { expect, test } from 'vitest'
import { toHaveReceivedRequest } from '../../../../emulator/testing/matchers.ts'
import { emulated } from '../emulated.ts'

expect.extend({ toHaveReceivedRequest })

const stats = { method: 'GET', path: '/api/stats' }

async function asked() {
  const emulator = await emulated()
  await emulator.fetch('/api/stats', { headers: { 'X-Api-Key': emulator.apiKey } })
  return emulator
}

test('toHaveReceivedRequest fails with the closest request and how it differs, negated with the unexpected one', async () => {
  const emulator = await asked()
  expect(() => expect(emulator).not.toHaveReceivedRequest(stats)).toThrow(
    /^Expected exactly 0 GET \/api\/stats, but the log has 1, the last of them GET \/api\/stats answered 200 at /,
  )
  expect(() => expect(emulator).not.toHaveReceivedRequest({ in_order: [stats] })).toThrow(
    'The log has what was not expected',
  )
  expect(() => expect(emulator).toHaveReceivedRequest({ ...stats, status: 429 })).toThrow(
    /^Expected at least 1 GET \/api\/stats answered 429, but the log has 0\. The closest, .* has status 200 instead of 429$/,
  )
})

test('toHaveReceivedRequest refuses a wrong field, and anything but an emulator', async () => {
  const emulator = await asked()
  const wrong = { ...stats, verb: 'GET' } as typeof stats
  expect(() => expect(emulator).toHaveReceivedRequest(wrong)).toThrow(TypeError)
  expect(() => expect(emulator).not.toHaveReceivedRequest(wrong)).toThrow(TypeError)
  expect(() => expect(Promise.resolve(emulator)).toHaveReceivedRequest(stats)).toThrow(
    'but got a promise: await it first',
  )
  expect(() => expect(emulator.control).toHaveReceivedRequest(stats)).toThrow(
    'toHaveReceivedRequest takes an emulator, as createEmulator() resolves with',
  )
})
