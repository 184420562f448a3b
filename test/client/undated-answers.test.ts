import { expect, test } from 'vitest'
import { createClient, type Transport } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'

const HOUR_MS = 3_600_000

test.each([
  [429, 'Rate limit exceeded: per minute', 60_250],
  [503, 'The API is disabled', HOUR_MS + 250],
])(
  'where nothing shows the service’s clock, an instant after a %i (%s) holds for at most %i ms',
  async (status, error, longest) => {
    const clock = instantClock()
    const inHours = new Date(clock.now() + 5 * HOUR_MS).toUTCString()
    const answers = [
      { status, headers: { 'retry-after': inHours }, value: { success: false, error } },
      { status: 200, headers: {}, value: {} },
    ]
    const transport: Transport = {
      async send() {
        const { value, ...answer } = answers.shift() ?? expect.fail('the client asks too often')
        return { ...answer, body: new Blob([JSON.stringify(value)]).stream() }
      },
    }
    await using client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'key', clock, transport })
    const askedAt = clock.now()
    await client.request('GET', '/api/stats')
    expect(clock.now() - askedAt).toBe(longest)
  },
)
