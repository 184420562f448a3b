import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import {
  type ClientOptions,
  createClient,
  fetchTransport,
  NotFoundError,
  nodeTransport,
  RateLimitError,
  type Upload,
} from '../../src/index.ts'
import { jpegBytes, mediaFiles, mediaPath } from '../helpers/media.ts'

async function start(options: Parameters<typeof createEmulator>[0] = {}) {
  const emulator = await createEmulator({ clock: 'virtual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

type Emulator = Awaited<ReturnType<typeof start>>

const doors: readonly (readonly [
  string,
  (emulator: Emulator) => Promise<Pick<ClientOptions, 'baseUrl' | 'transport'>>,
])[] = [
  ['in process', async ({ fetch }) => ({ baseUrl: 'http://127.0.0.1', transport: fetchTransport(fetch) })],
  ['undici on a socket', async (emulator) => emulator.listen({ port: 0 })],
  [
    'node:http on a socket',
    async (emulator) => ({ ...(await emulator.listen({ port: 0 })), transport: nodeTransport() }),
  ],
  [
    'global fetch on a socket',
    async (emulator) => ({ ...(await emulator.listen({ port: 0 })), transport: fetchTransport(fetch) }),
  ],
]

describe.each(doors)('a client of the emulator, %s', (_, enter) => {
  async function open(options: Parameters<typeof createEmulator>[0] = {}, clientOptions: Partial<ClientOptions> = {}) {
    const emulator = await start(options)
    const client = createClient({
      ...(await enter(emulator)),
      apiKey: emulator.apiKey,
      clock: emulator.clock,
      ...clientOptions,
    })
    onTestFinished(() => client.close())
    return { emulator, client }
  }

  test('uploads, lists, shows, deletes and reads statistics', async () => {
    const { client } = await open()
    const uploaded = await client.upload(mediaPath('photo.jpg'))
    expect(uploaded).toMatchObject({ mime_type: 'image/jpeg', size: 85_049, title: null, views: 0 })
    expect((await client.list()).data).toEqual([uploaded])
    expect(await client.show(uploaded.slug)).toEqual(uploaded)
    await client.delete(uploaded.slug)
    await expect(client.show(uploaded.slug)).rejects.toThrow(NotFoundError)
    expect(await client.stats()).toEqual({ uploads: 0, albums: 0, total_views: 0, api_requests: 5 })
  })

  test.each(mediaFiles)('uploads %s as %s', async (name, type) => {
    const { client } = await open()
    const { length } = await readFile(mediaPath(name))
    expect(await client.upload(mediaPath(name))).toMatchObject({ mime_type: type, size: length })
  })

  test('uploads a file larger than what is held in memory', async () => {
    const { client } = await open()
    expect(await client.upload(jpegBytes(5_000_000))).toMatchObject({ size: 5_000_000 })
  })

  test('walks through all pages', async () => {
    const { client } = await open({ quotas: { burst: null, minute: null, hour: null, day: null } })
    for (let count = 0; count < 51; count += 1) await client.upload(jpegBytes(100 + count))
    const sizes: number[] = []
    for await (const { size } of client.uploads()) sizes.push(size)
    expect(sizes).toEqual(Array.from({ length: 51 }, (_unused, index) => 150 - index))
  })

  test('is told the window and the wait when refused, and nothing is stored', async () => {
    const { client } = await open({}, { retry: { maxWaitMs: 0 } })
    await client.upload(jpegBytes(10))
    await client.upload(jpegBytes(11))
    const refused = client.upload(jpegBytes(12))
    await expect(refused).rejects.toThrow(RateLimitError)
    await expect(refused).rejects.toMatchObject({ window: 'burst', retryAfterMs: 10_250, status: 429 })
  })

  test('gets through when the clock has moved as far as it was told', async () => {
    const { client, emulator } = await open()
    const waits: number[] = []
    const patient = createClient({
      ...(await enter(emulator)),
      apiKey: emulator.apiKey,
      clock: {
        now: () => emulator.clock.now(),
        sleep: async (ms) => {
          waits.push(ms)
          await emulator.control.clock.advance(ms)
        },
      },
    })
    onTestFinished(() => patient.close())
    const uploads: Upload[] = []
    for (let count = 0; count < 7; count += 1) uploads.push(await patient.upload(jpegBytes(10 + count)))
    expect(new Set(uploads.map(({ slug }) => slug)).size).toBe(7)
    expect(waits.length).toBeGreaterThan(0)
    await emulator.control.clock.advance('1m')
    expect((await client.list()).total).toBe(7)
  })
})
