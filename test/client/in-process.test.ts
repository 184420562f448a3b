import { expect, onTestFinished, test, vi } from 'vitest'
import { fetchTransport, type RequestBody } from '../../src/index.ts'

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
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([9_000])
})
