import { expect, test } from 'vitest'
import { emulated } from '../emulated.ts'

test('the dashboard is one English page with all seven sections, and nothing inline', async () => {
  const emulator = await emulated()
  const response = await emulator.fetch('http://h/_emulator/ui', { headers: { 'Accept-Language': 'ro' } })
  const html = await response.text()
  const headings = [...html.matchAll(/<h2 id="[a-z]+-heading">([A-Z][a-z]+)<\/h2>/g)].map(([, heading]) => heading)
  expect(headings).toEqual(['Requests', 'Quota', 'Clock', 'Faults', 'Accounts', 'Settings', 'State'])
  expect(html).toContain('<html lang="en">')
  expect(html).toMatch(/<noscript><p[^>]*>This page needs JavaScript/)
  expect(html).not.toMatch(
    /<style|style=|<script(?! type="module" src="\/_emulator\/ui\/assets\/dashboard\.[0-9a-f]+\.js")/,
  )
  const policy = response.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';.* img-src 'self';.*frame-ancestors 'none'/)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(html).not.toContain(emulator.apiKey)
})

test('looking at the dashboard is no request to the API: neither logged nor struck by a fault', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([{ times: null, action: { type: 'status', status: 500 } }])
  expect((await emulator.fetch('/_emulator/ui')).status).toBe(200)
  expect(emulator.control.requests.list()).toMatchObject({ kept: 0, dropped: 0 })
  expect(emulator.control.faults.list()).toMatchObject([{ seen: 0 }])
})

test('the dashboard has one page, which is only read', async () => {
  const { fetch } = await emulated()
  const unknown = ['/_emulator/ui/nothing', '/_emulator/ui/assets/nothing.js', '/_emulator/ui/assets/constructor']
  const answers = await Promise.all(unknown.map((path) => fetch(`http://h${path}`)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  const posted = await fetch('http://h/_emulator/ui/requests/clear', { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
