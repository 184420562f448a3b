import type { Client } from 'filehost'
import { toHaveReceivedRequest } from 'filehost/matchers'
import { emulatorTest } from 'filehost/vitest'
import { describe, expect, vi } from 'vitest'
import { photo } from './photo.ts'

expect.extend({ toHaveReceivedRequest })

const quotaTest = emulatorTest.extend({ accountQuotas: 'default' })

class Gallery {
  readonly client: Client
  constructor(client: Client) {
    this.client = client
  }
}

const galleryTest = emulatorTest.extend<{ gallery: Gallery }>({
  gallery: async ({ client }, use) => {
    await use(new Gallery(client))
  },
})
const strictGalleryTest = galleryTest.extend({ strict: true, accountQuotas: { burst: 20, minute: 60 } })

quotaTest('a wait for quota passes on the emulator’s clock, under fake timers too', async ({ client, emulator }) => {
  const startedAt = emulator.clock.now()
  vi.useFakeTimers()
  try {
    for (let index = 0; index < 9; index += 1) await client.upload(photo(index))
  } finally {
    vi.useRealTimers()
  }
  expect(emulator.clock.now() - startedAt).toBeGreaterThan(60_000)
})

emulatorTest('the log of the emulator is matched', async ({ client, emulator }) => {
  await client.stats()
  expect(emulator).toHaveReceivedRequest({ path: '/api/stats', status: 200 })
  expect(emulator).not.toHaveReceivedRequest({ method: 'DELETE' })
  await expect(Promise.resolve(emulator)).resolves.toHaveReceivedRequest({ path: '/api/stats' })
})

emulatorTest.fails('a test may be expected to fail', async ({ client }) => {
  await client.show('aaaaaaaaaa')
})

strictGalleryTest('options can follow a fixture of one’s own', async ({ gallery, client, emulator, account }) => {
  expect(gallery.client).toBe(client)
  expect(emulator.control.accounts.quota(account.id).minute.limit).toBe(60)
  for (let index = 0; index < 12; index += 1) await gallery.client.upload(photo(index))
})

describe.concurrent('at once', () => {
  for (const name of ['one', 'two', 'three']) {
    quotaTest(`tests that run at once wait apart: ${name}`, async ({ client, expect }) => {
      for (let index = 0; index < 8; index += 1) await client.upload(photo(index))
      expect((await client.stats()).uploads).toBe(8)
    })
  }
})
