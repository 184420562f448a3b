import { setupServer } from 'msw/node'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emulatorHandlers } from '../../emulator/testing/msw.ts'
import { createClient, fetchTransport, type RequestBody } from '../../src/index.ts'
import { jpegBytes } from '../helpers/media.ts'

const body: RequestBody = {
  contentType: 'text/plain',
  length: 100_000,
  async *chunks() {
    yield Buffer.alloc(50_000)
    yield Buffer.alloc(50_000)
  },
}

test('the fetch transport sends a large body to a service in this process without waiting by the clock', async () => {
  const waits = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => waits.mockRestore())
  const service = async (request: Request) => new Response(String((await request.arrayBuffer()).byteLength))
  const sent = { method: 'POST', url: 'http://service.test/', headers: {}, body }
  const response = await fetchTransport(service, { idleTimeoutMs: 9_000 }).send(sent)
  expect(response.status).toBe(200)
  // Connections of other tests in this process set timers of seconds.
  const own = waits.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms < 1_000 || ms === 9_000)
  expect(own).toEqual([9_000])
})

test('a fetch transport without an argument uses the global fetch of each request, so that MSW catches it', async () => {
  const client = createClient({ baseUrl: 'https://files.example', apiKey: 'k', transport: fetchTransport() })
  const server = setupServer(...emulatorHandlers({ apiKey: 'k' }, { baseUrl: 'https://files.example' }))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  const { slug } = await client.upload(jpegBytes(200_000))
  expect((await client.show(slug)).size).toBe(200_000)
  expect((await client.list()).total).toBe(1)
})
