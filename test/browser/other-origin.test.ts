import { createServer } from 'node:http'
import { expect } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { listening } from '../helpers/listening.ts'
import { noBrowser, browserTest as test } from './harness/browser-test.ts'

/** Which of the service's headers a page could read. */
const told = {
  open: () => [],
  expose: (...names: readonly number[]) =>
    names.map((index) => ['X-RateLimit-Limit', 'X-RateLimit-Cost', 'Retry-After'][index]),
}

test.for(['open', 'expose'] as const)(
  'a page of another origin calls the API with cors=%s, failures too, and never the control API',
  async (cors, { browser, skip, onTestFinished }) => {
    if (browser === null) return skip(noBrowser)
    const emulator = await createEmulator({ apiKey: 'test-key', settings: { cors }, quotas: { burst: 15 } })
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const action = { type: 'status', status: 503, headers: { 'Retry-After': '7' } } as const
    emulator.control.faults.set([{ match: { path: '/api/stats' }, times: 1, action }])
    const port = await listening(
      createServer((_, response) => response.setHeader('content-type', 'text/html').end('A page')),
    )
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const seen = await page.evaluate(`(async () => {
      const call = async (path, init = {}) => {
        try {
          const answer = await fetch('${baseUrl}' + path, { headers: { 'X-Api-Key': 'test-key' }, ...init })
          const names = ['X-RateLimit-Limit', 'X-RateLimit-Cost', 'Retry-After']
          return [answer.status, ...names.filter((name) => answer.headers.has(name))]
        } catch (error) {
          return [error.name]
        }
      }
      const body = new FormData()
      body.append('file', new File(['GIF89a'], 'picture.gif'))
      return [
        await call('/api/upload', { method: 'POST', body }),
        await call('/api/uploads'),
        await call('/api/stats', { headers: { 'X-Api-Key': 'wrong' } }),
        await call('/api/uploads/none', { method: 'DELETE' }),
        await call('/api/stats'),
        await call('/api/uploads?page=2'),
        await call('/api/uploads'),
        await call('/_emulator/health'),
        await call('/_emulator/reset', { method: 'POST' }),
      ]
    })()`)
    await page.close()
    const names = told[cors]
    const served = [201, 200, 404, 200].map((status) => [status, ...names(0, 1)])
    const [upload, list, missing, secondPage] = served
    const control = ['TypeError']
    expect(seen).toEqual([
      upload,
      list,
      [401],
      missing,
      [503, ...names(2)],
      secondPage,
      [429, ...names(0, 2)],
      control,
      control,
    ])
    expect(emulator.control.health().uploads).toBe(1)
  },
)
