import { expect, test } from 'vitest'
import { createClient, type Transport, TransportError } from '../../src/index.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes, uploadObject } from '../helpers/media.ts'

const HOUR_MS = 3_600_000

test.each([
  [429, 'Rate limit exceeded: per minute', 10_250],
  [503, 'The API is disabled', 1_250],
])(
  'an instant in a %i (%s) without Date says nothing: the wait is that of one without Retry-After, %i ms',
  async (status, error, waited) => {
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
    expect(clock.now() - askedAt).toBe(waited)
  },
)

test('without Date, an upload that was cut off is looked for no further back than the list has newer ones', async () => {
  const time = instantClock()
  const clock = { ...time, monotonic: time.now }
  const uploads = Array.from({ length: 400 }, (_, index) => {
    const created_at = new Date(clock.now() - (index + 1) * HOUR_MS).toISOString()
    return { ...uploadObject, slug: `upload${index}`, created_at }
  })
  const pages: number[] = []
  const transport: Transport = {
    async send({ method, url, body }) {
      for await (const _ of body?.chunks() ?? []);
      if (method === 'POST') throw new TransportError('interrupted', 'the connection was reset')
      const page = Number(new URL(url).searchParams.get('page') ?? 1)
      pages.push(page)
      const data = uploads.slice((page - 1) * 20, page * 20)
      const value = { data, current_page: page, last_page: 20, per_page: 20, total: uploads.length }
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: new Blob([JSON.stringify(value)]).stream(),
      }
    },
  }
  const retry = { retries: 0 }
  await using client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'key', clock, transport, retry })
  await expect(client.upload(jpegBytes(300))).rejects.toThrow()
  expect(new Set(pages)).toEqual(new Set([1]))
})
