import { expect, test } from 'vitest'
import { TransportError } from '../../src/index.ts'
import type { ExchangeFault } from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'

/** The connection breaks after half of the body. */
const halfway: ExchangeFault = async ({ body }) => {
  let bytes = 0
  for await (const chunk of body?.chunks() ?? []) {
    bytes += chunk.length
    if (bytes > 50_000) break
  }
  throw new TransportError('interrupted', 'the connection was cut')
}

test('uploads of a client with a rate leave at that rate, those that are repeated too', async () => {
  const { client, clock, sleeps } = await inProcessClient({
    client: { uploadBytesPerSecond: 10_000 },
    faults: { POST: [halfway] },
  })
  const startedAt = clock.now()
  await client.upload(new Blob([jpegBytes(100_000)]))
  const pieces = sleeps.filter((ms) => ms <= 60)
  expect(pieces.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(15_000, -3)
  expect(clock.now() - startedAt).toBeGreaterThan(15_000 - 500)
})
