import { expect, test } from 'vitest'
import { createClient, type Transport } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'

const HOUR_MS = 3_600_000
/** A wait of two seconds, with the roundings of `created_at` and the padding of the pacer. */
const SOON_MS = 5_000

/** How long a call waits that an answer without Date refuses once, two seconds before its Retry-After by the service's clock. */
async function waitAfter({ status, error }: typeof minute | typeof off, aheadMs: number, hasStored: boolean) {
  const time = instantClock()
  const clock = { ...time, monotonic: time.now }
  const serviceNow = () => clock.now() + aheadMs
  const file = jpegBytes(300)
  const stored = () => ({ ...uploadObject, size: file.length, created_at: new Date(serviceNow()).toISOString() })
  const refused = () => ({ 'retry-after': new Date(serviceNow() + 2_000).toUTCString() })
  const answers = [
    () => ({ status, headers: refused(), value: { success: false, error } }),
    () => ({ status: 200, headers: {}, value: {} }),
  ]
  if (hasStored) answers.unshift(() => ({ status: 201, headers: {}, value: { upload: stored() } }))
  const transport: Transport = {
    async send({ body }) {
      for await (const _ of body?.chunks() ?? []);
      const { value, ...answer } = (answers.shift() ?? expect.fail('the client asks too often'))()
      const bytes = Buffer.from(JSON.stringify(value))
      return { ...answer, body: new Blob([bytes]).stream() }
    },
  }
  await using client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'key', clock, transport })
  if (hasStored) await client.upload(file)
  const askedAt = clock.now()
  await client.request('GET', '/api/stats')
  return clock.now() - askedAt
}

const minute = { status: 429, error: 'Rate limit exceeded: per minute' } as const
const off = { status: 503, error: 'The API is disabled' } as const

test.each([
  [minute, HOUR_MS],
  [minute, -HOUR_MS],
  [off, HOUR_MS],
])('without Date an instant after %j is told by the clock of created_at: %i ms ahead', async (refusal, aheadMs) => {
  const waited = await waitAfter(refusal, aheadMs, true)
  expect(waited).toBeGreaterThanOrEqual(2_000)
  expect(waited).toBeLessThan(SOON_MS)
})

test.each([
  [minute, 60_250],
  [off, HOUR_MS + 250],
])('where nothing shows the service’s clock, an instant after %j holds for at most %i ms', async (refusal, longest) => {
  expect(await waitAfter(refusal, 5 * HOUR_MS, false)).toBe(longest)
})
