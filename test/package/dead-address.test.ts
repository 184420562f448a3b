import { expect, test, vi } from 'vitest'

test('processes of the tests get different dead addresses, though nothing listens at any of them', async () => {
  const addresses = new Set<string>()
  for (const _ of [1, 2, 3]) {
    vi.resetModules()
    addresses.add(await (await import('../helpers/dead-address.ts')).deadAddress())
  }
  expect(addresses.size).toBe(3)
})
