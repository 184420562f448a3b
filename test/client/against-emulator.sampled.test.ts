import { setupServer } from 'msw/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEmulator, type Emulator } from '../../emulator/index.ts'
import { emulatorHandlers } from '../../emulator/testing/msw.ts'
import { createClient, fetchTransport, NotFoundError, nodeTransport, type Transport } from '../../src/index.ts'
import { jpegBytes, mediaPath } from '../helpers/media.ts'
import { sample } from '../sampling/sample.ts'

const baseUrl = 'https://emulator.test'

/** MSW replaces the network until the test ends; nothing else answers. */
const intercepted = (create: () => Transport) => (emulator: Emulator) => {
  const server = setupServer(...emulatorHandlers(emulator, { baseUrl }))
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
  return create()
}

/** How a client reaches an emulator; sockets are in every-transport.ts. */
const doors: Readonly<Record<string, (emulator: Emulator) => Transport>> = {
  'in process': ({ fetch }) => fetchTransport(fetch),
  'global fetch through MSW': intercepted(() => fetchTransport()),
  'node:https through MSW': intercepted(nodeTransport),
}

const combinations = (['spec', 'laravel', 'hostile'] as const).flatMap((dialect) =>
  Object.entries(doors).map(([name, enter]) => ({ dialect, name, enter })),
)

describe.each(sample(combinations, 5))('a client of the emulator that speaks $dialect, $name', ({ dialect, enter }) => {
  const isHostile = dialect === 'hostile'
  /** The hostile dialect re-encodes files and stores a few bytes more. */
  const sizeOf = (bytes: number) => (isHostile ? expect.toSatisfy((size: number) => size >= bytes) : bytes)

  async function open(clock: 'virtual' | 'auto') {
    const emulator = await createEmulator({ clock, dialect, settings: { thumbnail: 'never' } })
    onTestFinished(() => emulator.close())
    const client = createClient({
      baseUrl,
      transport: enter(emulator),
      apiKey: emulator.apiKey,
      clock: emulator.clock,
      // Here the emulator refuses; the client does not know the quotas beforehand.
      pacing: false,
    })
    onTestFinished(() => client.close())
    /** Waits until the service shows an upload. */
    const shown = () => emulator.control.clock.advance('2s')
    return { emulator, client, shown }
  }

  test('a client uploads, lists, shows, deletes and reads statistics', async () => {
    const { client, shown } = await open('virtual')
    const uploaded = await client.upload(mediaPath('photo.jpg'))
    expect(uploaded).toMatchObject({ mime_type: 'image/jpeg', size: sizeOf(85_049), views: 0 })
    await shown()
    expect((await client.list()).data).toEqual([uploaded])
    expect(await client.show(uploaded.slug)).toEqual(uploaded)
    await client.delete(uploaded.slug)
    await expect(client.show(uploaded.slug)).rejects.toThrow(NotFoundError)
    expect(await client.stats()).toMatchObject({ uploads: 0, albums: 0, total_views: 0, api_requests: 5 })
  })

  test('a client waits after a refusal as long as it has to, and succeeds', async () => {
    const { client, emulator, shown } = await open('auto')
    for (let count = 0; count < 7; count += 1) await client.upload(jpegBytes(10 + count))
    expect(emulator.control.requests.list({ status: 429 }).requests).not.toEqual([])
    await shown()
    expect((await client.list()).total).toBe(7)
  })
})
