import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient, fetchTransport } from '../../src/index.ts'

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
