import { expect, onTestFinished, test, vi } from 'vitest'
import { fetchTransport } from '../../src/index.ts'
import { bodyOf } from './every-transport.ts'

test('the fetch transport sends a large body to a service in this process without waiting by the clock', async () => {
  const waits = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => waits.mockRestore())
  const service = async (request: Request) => new Response(String((await request.arrayBuffer()).byteLength))
  const sent = {
    method: 'POST',
    url: 'http://service.test/',
    headers: {},
    body: bodyOf(Buffer.alloc(50_000), Buffer.alloc(50_000)),
  }
  const response = await fetchTransport(service, { idleTimeoutMs: 9_000 }).send(sent)
  expect(response.status).toBe(200)
  // Connections of other tests in this process set timers of seconds.
  const own = waits.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms < 1_000 || ms === 9_000)
  expect(own).toEqual([9_000])
})
