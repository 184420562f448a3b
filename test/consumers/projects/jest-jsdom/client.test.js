import { createClient, fetchTransport, nodeTransport } from 'filehost'
import { createEmulator } from 'filehost/emulator'

test('a client uploads in process, by the global fetch and by node:http', async () => {
  const emulator = await createEmulator({ apiKey: 'test-key', quotas: 'none' })
  const { baseUrl } = await emulator.listen()
  for (const transport of [fetchTransport(emulator.fetch), fetchTransport(), nodeTransport()]) {
    const client = createClient({ baseUrl, apiKey: 'test-key', transport })
    expect((await client.upload(new Blob(['GIF89a']))).size).toBe(6)
    expect((await client.upload(new File(['GIF89a'], 'picture.gif'))).size).toBe(6)
    await client.close()
  }
  await emulator.close()
})
