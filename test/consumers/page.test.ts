import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { reportOfPage } from './helpers/chromium.ts'
import { print } from './helpers/consumer-test.ts'

/** The address of a page on another port, and so of another origin than the emulator. */
async function pageFor(service: string): Promise<string> {
  const html = await readFile(new URL('pages/calls.html', import.meta.url))
  const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?service=${encodeURIComponent(service)}`
}

const shown = ['X-RateLimit-Limit', 'X-RateLimit-Cost', 'Retry-After']

/** Which of the service's headers the page could read. */
const told = { open: () => [], expose: (...names: readonly number[]) => names.map((index) => shown[index]) }

test.for(['open', 'expose'] as const)(
  'a page of another origin calls the API in Chromium with cors=%s, failures too, and never the control API',
  async (cors, { skip }) => {
    const emulator = await createEmulator({ apiKey: 'test-key', settings: { cors }, quotas: { burst: 15 } })
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const action = { type: 'status', status: 503, headers: { 'Retry-After': '7' } } as const
    emulator.control.faults.set([{ match: { path: '/api/stats' }, times: 1, action }])
    const report = await reportOfPage(await pageFor(baseUrl))
    if (report === undefined) return skip('This machine has no Chromium')
    print(`${cors}: ${report}`)
    const names = told[cors]
    expect(JSON.parse(report)).toEqual({
      upload: [201, ...names(0, 1)],
      list: [200, ...names(0, 1)],
      wrongKey: [401],
      missing: [404, ...names(0, 1)],
      fault: [503, ...names(2)],
      secondPage: [200, ...names(0, 1)],
      beyond: [429, ...names(0, 2)],
      control: ['TypeError'],
      reset: ['TypeError'],
    })
    expect(emulator.control.health().uploads).toBe(1)
  },
)
