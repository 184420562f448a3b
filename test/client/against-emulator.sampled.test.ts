import { describe, expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { type ClientOptions, createClient, NotFoundError, RateLimitError } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { sample } from '../sampling/sample.ts'
import { doors } from './transports.ts'

const combinations = (['spec', 'laravel', 'hostile'] as const).flatMap((dialect) =>
  doors.map((door) => ({ dialect, door, name: door.name })),
)

describe.each(sample(combinations, 5))('a client of the emulator that speaks $dialect, $name', ({ dialect, door }) => {
  door.prepare?.()
  const { enter } = door
  const isHostile = dialect === 'hostile'
  /** The hostile dialect re-encodes files and stores a few bytes more. */
  const sizeOf = (bytes: number) => (isHostile ? expect.toSatisfy((size: number) => size >= bytes) : bytes)

  async function open(options: Parameters<typeof createEmulator>[0] = {}, clientOptions: Partial<ClientOptions> = {}) {
    const emulator = await createEmulator({ clock: 'virtual', dialect, settings: { thumbnail: 'never' }, ...options })
    onTestFinished(() => emulator.close())
    const client = createClient({
      ...(await enter(emulator)),
      apiKey: emulator.apiKey,
      clock: emulator.clock,
      // Here the emulator refuses; the client does not know the quotas beforehand.
      pacing: false,
      ...clientOptions,
    })
    onTestFinished(() => client.close())
    /** Waits until the service shows an upload. */
    const shown = () => emulator.control.clock.advance('2s')
    return { emulator, client, shown }
  }

  test('a client uploads, lists, shows, deletes and reads statistics', async () => {
    const { client, shown } = await open()
    const uploaded = await client.upload(mediaPath('photo.jpg'))
    expect(uploaded).toMatchObject({ mime_type: 'image/jpeg', size: sizeOf(85_049), views: 0 })
    await shown()
    expect((await client.list()).data).toEqual([uploaded])
    expect(await client.show(uploaded.slug)).toEqual(uploaded)
    await client.delete(uploaded.slug)
    await expect(client.show(uploaded.slug)).rejects.toThrow(NotFoundError)
    expect(await client.stats()).toMatchObject({ uploads: 0, albums: 0, total_views: 0, api_requests: 5 })
  })

  test('a client reads all pages of the list, and an upload once that moved to the next page meanwhile', async () => {
    const { client, shown } = await open({ quotas: unlimited })
    for (let count = 0; count < 51; count += 1) await client.upload(jpegBytes(100 + count))
    await shown()
    const sizes: number[] = []
    for await (const { size } of client.uploads()) {
      if (sizes.length === 0) await client.upload(jpegBytes(99))
      sizes.push(size)
    }
    expect(sizes).toEqual(Array.from({ length: 51 }, (_unused, index) => sizeOf(150 - index)))
  })

  test('a refusal names the window and the wait, and the service stores nothing', async () => {
    const { client } = await open({}, { retry: { maxWaitMs: 0 } })
    await client.upload(jpegBytes(10))
    await client.upload(jpegBytes(11))
    const refused = client.upload(jpegBytes(12))
    await expect(refused).rejects.toThrow(RateLimitError)
    await expect(refused).rejects.toMatchObject({
      status: 429,
      // The hostile dialect charges refused calls too, so that another window may refuse, and it names no wait.
      ...(!isHostile && { window: 'burst', retryAfterMs: 10_250 }),
    })
  })

  test('a client waits after a refusal as long as it has to, and succeeds', async () => {
    const { client, emulator, shown } = await open({ clock: 'auto' })
    for (let count = 0; count < 7; count += 1) await client.upload(jpegBytes(10 + count))
    expect(emulator.control.requests.list({ status: 429 }).requests).not.toEqual([])
    await shown()
    expect((await client.list()).total).toBe(7)
  })
})
