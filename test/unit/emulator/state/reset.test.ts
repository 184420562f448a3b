import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

const options: EmulatorOptions = {
  apiKey: 'first-key',
  clock: 'virtual',
  dialect: 'laravel',
  seed: {
    accounts: [
      { albums: 2, uploads: { count: 3, interval_seconds: 60 } },
      { api_key: 'second-key', email: 'two@example.com', password: 'secret', suspended: true },
    ],
  },
}

/** Slugs are drawn at random, so that no two emulators have the same. */
async function comparable({ control }: Emulator): Promise<string> {
  return JSON.stringify(await control.state.get()).replaceAll(/"slug":"[^"]*"/g, '"slug":"…"')
}

/** Does something to the first account's newest upload, where it has one. */
async function withNewest(emulator: Emulator, act: (slug: string) => unknown): Promise<void> {
  const { records } = await emulator.control.state.get()
  const uploads = records['uploads'] as readonly { readonly slug: string }[]
  const slug = uploads.at(-1)?.slug
  if (slug !== undefined) await act(slug)
}

type Operation = (emulator: Emulator, size: number) => unknown

const operations: readonly Operation[] = [
  (emulator, size) => send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(size + 4))),
  (emulator) => send(emulator, 'GET', '/api/uploads'),
  (emulator) => withNewest(emulator, (slug) => send(emulator, 'DELETE', `/api/uploads/${slug}`)),
  (emulator) => withNewest(emulator, (slug) => emulator.control.uploads.update(slug, { title: 'T', views: 3 })),
  (emulator) => withNewest(emulator, (slug) => emulator.control.uploads.update(slug, { thumbnail: 'ready' })),
  ({ control }, size) => control.accounts.addUploads(1, { count: size + 1, interval_seconds: 0.5 }),
  ({ control }) => control.accounts.create(),
  ({ control }, size) => control.accounts.update(1, { albums: size, quotas: { burst: size }, ip_allowlist: ['::1'] }),
  ({ control }) => control.accounts.regenerateKey(1),
  ({ control }) =>
    control.accounts.list().length > 1 && control.accounts.delete(control.accounts.list().at(-1)?.id ?? 0),
  ({ control }) => control.settings.update({ api_enabled: false }),
  ({ control }, size) =>
    control.settings.update({ api_enabled: true, quota_windows: 'sliding', thumbnail_delay_ms: size }),
  ({ control }, size) => control.clock.get().mode === 'virtual' && control.clock.advance(size * 1_000),
  ({ control }) => control.clock.get().mode === 'virtual' && control.clock.set('2024-02-29T00:00:00Z'),
  ({ control }) => control.clock.switchTo('system'),
  ({ control }) => control.clock.switchTo('virtual'),
  ({ control }) => control.requests.clear({ status: 401 }),
  async ({ control }) => control.state.restore(await control.state.get()),
  ({ control }) => control.reset(),
]

test('after whatever happened, a reset makes a snapshot equal to that of a fresh emulator', async () => {
  const step = fc.tuple(fc.constantFrom(...operations), fc.nat({ max: 40 }))
  const fresh = await createEmulator(options)
  const expected = await comparable(fresh)
  await fresh.close()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const emulator = await createEmulator(options)
      try {
        for (const [operation, size] of steps) await operation(emulator, size)
        await emulator.control.reset()
        expect(await comparable(emulator)).toBe(expected)
        expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
      } finally {
        await emulator.close()
      }
    }),
    { numRuns: 60 },
  )
})

test('the first account has its key again, however it was changed', async () => {
  const emulator = await emulated()
  const { api_key } = emulator.control.accounts.regenerateKey(1)
  await emulator.control.accounts.delete(1)
  await emulator.control.reset()
  expect((await send(emulator, 'GET', '/api/stats')).status).toBe(200)
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': api_key } })).status).toBe(401)
})

test('a reset ends what was pending: no thumbnail comes for an upload that is gone', async () => {
  const emulator = await emulated()
  await send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(100)))
  await emulator.control.reset()
  await emulator.control.clock.advance('1h')
  expect((await emulator.control.state.get()).blobs).toEqual({})
})

test('a seed has several accounts with keys, sign-ins, traits and uploads', async () => {
  const emulator = await emulated(options)
  expect(emulator.apiKey).toBe('first-key')
  expect(emulator.control.accounts.list()).toMatchObject([
    { id: 1, email: 'user@example.com', albums: 2 },
    { id: 2, email: 'two@example.com', suspended: true },
  ])
  expect(await json(send(emulator, 'GET', '/api/stats'))).toMatchObject({ uploads: 3, albums: 2 })
  expect((await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'second-key' } })).status).toBe(403)
})

test.each<[object, string]>([
  [{ users: [] }, 'A seed has accounts, but no "users"'],
  [{ accounts: 'me' }, 'The accounts of a seed are a list of objects'],
  [{ accounts: [{ albums: -1 }] }, 'The field albums takes'],
  [{ accounts: [{ api_key: 'k' }, { api_key: 'k' }] }, 'Another account has this API key'],
  [{ accounts: [{ uploads: { count: 0 } }] }, 'The field count takes'],
])('the seed %j is refused', async (seed, message) => {
  await expect(createEmulator({ seed })).rejects.toThrow(message)
})
