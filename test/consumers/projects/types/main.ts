import { createClient, FileHostError, fetchTransport, type Upload } from 'filehost'
import { createEmulator, type Emulator } from 'filehost/emulator'
import { toHaveReceivedRequest } from 'filehost/matchers'
import { redisLedger } from 'filehost/redis'

export async function upload(emulator: Emulator): Promise<Upload> {
  const transport = fetchTransport(emulator.fetch)
  const client = createClient({
    baseUrl: 'https://files.example',
    apiKey: emulator.apiKey,
    transport,
    clock: emulator.clock,
  })
  try {
    return await client.upload(new Uint8Array([0xff, 0xd8, 0xff]), { onProgress: ({ sent }) => sent.toFixed() })
  } catch (error) {
    if (error instanceof FileHostError && error.code === 'over-limit') throw new Error(error.hint)
    throw error
  } finally {
    await client.close()
  }
}

export const emulator: Promise<Emulator> = createEmulator({ clock: 'auto', quotas: 'none' })

export const ledgers: readonly object[] = [redisLedger('redis://redis.example')]

export const matchers: object = { toHaveReceivedRequest }
