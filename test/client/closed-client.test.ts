import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient, FileHostError, fetchTransport } from '../../src/index.ts'
import { unheard } from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'
import { answer, breakOff, scriptedServer } from '../helpers/scripted-server.ts'

test('every call of a closed client that would send something fails with client-closed', async () => {
  const server = await scriptedServer(answer(200, {}))
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key' })
  await client.close()
  const calls = [
    () => client.upload(jpegBytes(100)),
    () => client.upload(new URL('/photo.jpg', server.baseUrl)),
    () => client.list(),
    () => client.uploads().next(),
    () => client.show('slug'),
    () => client.download('slug', '/nowhere/a.jpg'),
    () => client.delete('slug'),
    () => client.stats(),
    () => client.request('GET', '/api/stats'),
    () => client.reconcile([{ size: 7, mimeType: 'image/png', startedAt: 0, endedAt: null, knownSlugs: [] }]),
  ]
  for (const call of calls) {
    const error = await call().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(FileHostError)
    expect(error).toMatchObject({
      code: 'client-closed',
      message: expect.stringContaining('was not sent: the client is'),
    })
  }
  await client.close()
  expect(server.connections()).toBe(0)
})

test('a call that is to be sent again after its client was closed fails with client-closed', async () => {
  const server = await scriptedServer(breakOff(0), answer(200, {}))
  const onEvent = (event: { readonly type: string }) => event.type === 'failure' && void client.close()
  const client = createClient({ baseUrl: server.baseUrl, apiKey: 'key', onEvent })
  onTestFinished(() => client.close())
  await expect(client.stats()).rejects.toMatchObject({ code: 'client-closed' })
  expect(server.requests.map(({ url }) => url)).toEqual(['/api/stats'])
})

test('an upload whose client is closed before the list is read has an unknown outcome', async () => {
  const { client, counts } = await inProcessClient({
    faults: { POST: [unheard['a cut after the whole body']] },
    client: { onEvent: (event) => event.type === 'failure' && void client.close() },
  })
  await expect(client.upload(jpegBytes(100))).rejects.toMatchObject({ code: 'outcome-unknown' })
  expect(counts).toEqual({ POST: 1 })
})

test.each(['virtual', 'auto', 'system'] as const)(
  'a call to an emulator of this process that is closed fails at once, on the clock %s',
  async (clock) => {
    const emulator = await createEmulator({ clock })
    const options = { baseUrl: 'http://localhost', apiKey: emulator.apiKey, clock: emulator.clock }
    const client = createClient({ ...options, transport: fetchTransport(emulator.fetch) })
    await client.stats()
    await emulator.close()
    await expect(client.stats()).rejects.toMatchObject({
      code: 'connection-failed',
      message: expect.stringContaining('The emulator is closed'),
    })
  },
)
